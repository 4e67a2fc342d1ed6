import { join } from "node:path";
import { expect, test } from "vitest";
import { loadDeclared } from "../../build/manifests/declared.ts";
import { Event } from "../../shared/kubernetes/kind.ts";

const declared = await loadDeclared(join(import.meta.dirname, "../.."));

test("a function that writes, or asks an external system, may record the Event of what is refused or away", () => {
  const isRead = (verb: string) => ["get", "list", "watch"].includes(verb);
  const needing = declared.filter(
    ({ permissions, systems = {} }) =>
      Object.keys(systems).length > 0 || permissions.some(({ verbs }) => !verbs.every(isRead)),
  );
  expect(needing.length).toBeGreaterThan(40);
  const denied = needing.filter(
    ({ permissions }) =>
      !permissions.some(
        ({ resource, verbs, overlay }) => resource.kind === Event.kind && verbs.includes("create") && !overlay,
      ),
  );
  expect(denied.map(({ name }) => name)).toEqual([]);
});
