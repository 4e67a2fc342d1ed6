import { expect, test } from "vitest";
import { type HookFacts, hookOrder } from "./hooks.ts";

const usual: HookFacts = {
  policy: "Evacuate",
  letGo: false,
  machineDeleting: false,
  infrastructureDeleting: false,
  clusterDeleting: false,
  begun: false,
  preDrain: false,
  preTerminate: false,
};
const deleting = { machineDeleting: true };
const drained = { ...deleting, preTerminate: true };
const set = { preDrain: true, preTerminate: true };

test.each<[string, Partial<HookFacts>, string]>([
  ["a Machine whose satellite evacuates gets them", {}, "set"],
  ["one that has lost a hook gets it back while nothing is deleted", { preDrain: true }, "set"],
  ["one that has them is left alone", set, "leave"],
  ["another policy takes them away", { ...set, policy: "Retain" }, "remove"],
  ["another policy leaves a Machine without hooks alone", { policy: "Retain" }, "leave"],
  ["Retain, set while the Machine is deleted: it is drained", { ...deleting, ...set, policy: "Retain" }, "drain"],
  ["Retain, and the Machine is drained: it is not shut down", { ...drained, policy: "Retain" }, "leave"],
  ["Delete, set while the Machine is deleted: it goes", { ...deleting, ...set, policy: "Delete" }, "remove"],
  ["a deleting Machine at first sight gets them while its server runs", deleting, "set"],
  ["a deleting Machine whose evacuation has begun does not get them back", { ...deleting, begun: true }, "leave"],
  ["an evacuation that has begun releases them by its steps", { ...set, begun: true }, "leave"],
  ["a satellite that is let go without its policy gets none", { letGo: true }, "leave"],
  ["the whole cluster goes: they are released", { ...deleting, ...set, clusterDeleting: true }, "remove"],
  ["the whole cluster goes: none are put there", { ...deleting, clusterDeleting: true }, "leave"],
])("%s", (_what, facts, hooks) => {
  const order = hookOrder({ ...usual, ...facts });
  expect(order.hooks).toBe(hooks);
  expect(order.late).toBeUndefined();
  expect(order.message).toMatch(/^[A-Z].*\.$/);
});

test("a Machine whose server is already being deleted is warned of", () => {
  const order = hookOrder({ ...usual, machineDeleting: true, infrastructureDeleting: true });
  expect(order).toMatchObject({ hooks: "leave", late: true });
});
