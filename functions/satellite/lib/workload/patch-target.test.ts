import { expect, test } from "vitest";
import { isSelected } from "./patch-target.ts";

const daemonSet = { apiVersion: "apps/v1", kind: "DaemonSet", metadata: { namespace: "piraeus-datastore" } };
const selects = (name: string) => isSelected({ name }, daemonSet, { kind: "DaemonSet", name: "linstor-satellite" });

test.each([
  ["linstor-satellite", true],
  ["linstor", false],
  ["satellite", false],
  ["linstor-.*", true],
  ["linstor|satellite", false],
  ["^linstor-satellite$", true],
  ["(?i)LINSTOR-SATELLITE", true],
  ["(([a-z-]+)+)+", true],
])("a target with the name %s selects linstor-satellite: %s", (name, selected) => expect(selects(name)).toBe(selected));

test("expressions that are slow elsewhere are decided at once", () => {
  // A backtracking engine takes longer than anyone waits: the first one doubles its time with each letter.
  for (const name of ["((((([a-z-]+)+)+)+)+)+!", `${".*".repeat(12)}!`]) expect(selects(name)).toBe(false);
});

test.each(["(?=linstor).*", "(l)\\1", "("])(
  "%s, which RE2 does not know, is refused with the field and the text",
  (name) => expect(() => selects(name)).toThrow(`The name of its target is no regular expression: ${name}.`),
);
