import { join } from "node:path";
import { expect, test } from "vitest";
import { loadDeclared } from "../../build/manifests/declared.ts";
import { Event } from "../../shared/kubernetes/kind.ts";

const declared = await loadDeclared(join(import.meta.dirname, "../.."));

test("a rule that asks an external system may record Events: an outage is written down with one", () => {
  const asking = declared.filter(({ systems }) => Object.keys(systems ?? {}).length > 0);
  expect(asking.length).toBeGreaterThan(10);
  const silent = asking.filter(
    ({ permissions }) =>
      !permissions.some(({ resource, verbs }) => resource.plural === Event.plural && verbs.includes("create")),
  );
  expect(silent.map(({ name }) => name)).toEqual([]);
});
