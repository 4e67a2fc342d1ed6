import { expect, test } from "vitest";
import { aNode } from "./testing/data.ts";
import { mayRestore, type UndoFacts } from "./undo.ts";

const usual: UndoFacts = {
  satelliteDeleting: false,
  nodeWanted: true,
  machine: "none",
  linstor: aNode("node-1", { flags: ["EVACUATE"] }),
};

const evicted = ["DELETE", "EVICTED"];
const offline = { connection: "OFFLINE" };

test.each<[string, Partial<UndoFacts>, boolean]>([
  ["an evacuated node whose satellite stays", {}, true],
  ["the same on a Machine that stays", { machine: "alive" }, true],
  ["an evicted node that has come back", { linstor: aNode("node-1", { flags: evicted }) }, true],
  ["an evicted node that is offline", { linstor: aNode("node-1", { flags: evicted, ...offline }) }, false],
  ["a node that is as it should be", { linstor: aNode("node-1") }, false],
  ["a node that LINSTOR does not know", { linstor: undefined }, false],
  ["a deleting satellite", { satelliteDeleting: true }, false],
  ["a deleting Machine", { machine: "deleting" }, false],
  ["a Machine that is gone: its Node follows", { machine: "gone" }, false],
  ["a Machine that has left its Node behind", { machine: "left" }, true],
  [
    "a Machine that has left its Node behind, and no satellite runs there",
    { machine: "left", linstor: aNode("node-1", { flags: ["EVACUATE"], connection: "OFFLINE" }) },
    false,
  ],
  ["a Node that is not to have a satellite", { nodeWanted: false }, false],
])("%s: %j", (_what, facts, expected) => expect(mayRestore({ ...usual, ...facts })).toBe(expected));
