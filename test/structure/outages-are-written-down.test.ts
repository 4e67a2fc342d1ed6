import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadDeclared } from "../../build/manifests/declared.ts";
import { Event } from "../../shared/kubernetes/kind.ts";

const root = join(import.meta.dirname, "../..");
const declared = await loadDeclared(root);

/** Whether a function says itself, in a condition or a message, what is away. */
const says = (name: string) =>
  globSync(`functions/${name}/*.ts`, { cwd: root }).some((file) =>
    /\b(chainRule|orAway)\(/.test(readFileSync(join(root, file), "utf8")),
  );

test("a rule that asks an external system may record the Event with which an outage is written down", () => {
  const asking = declared.filter(({ name, systems = {} }) => Object.keys(systems).length > 0 && !says(name));
  expect(asking.map(({ name }) => name)).toContain("volume/refresh-device-name");
  const denied = asking.filter(
    ({ permissions }) =>
      !permissions.some(({ resource, verbs }) => resource.plural === Event.plural && verbs.includes("create")),
  );
  expect(denied.map(({ name }) => name)).toEqual([]);
});
