import { expect, test } from "vitest";
import { undo } from "./undo.ts";

const object = (name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "Any",
  metadata: { name, uid: "a", resourceVersion: "1", ...more },
});

test.each([
  ["its Node is gone", undefined, undefined],
  ["its Node is not to have a satellite any more", object("node-1"), undefined],
  ["its Node matches", object("node-1", { labels: { storage: "yes" } }), "LinstorSatelliteConfigurations"],
])("an evacuation can be ended by the policy unless configurations set it: %s", (_, node, reason) => {
  const { refused = "", write, command } = undo(object("node-1"), node, { nodeSelector: { storage: "yes" } }, true);
  expect(refused).toContain(reason ?? "");
  expect(refused === "").toBe(reason === undefined);
  expect(write).toMatchObject({ uid: "a", patch: { spec: { deletionPolicy: "Retain" } } });
  expect(command).toBe(`kubectl patch linstorsatellite node-1 --type merge -p '{"spec":{"deletionPolicy":"Retain"}}'`);
});

test("while Nodes or LinstorClusters are unread, the policy is not to be set", () => {
  expect(undo(object("node-1"), undefined, {}, false).refused).toMatch(/^Nodes or LinstorClusters could not be read/);
  expect(undo(object("node-1"), undefined, {}, true).refused).toBeUndefined();
});
