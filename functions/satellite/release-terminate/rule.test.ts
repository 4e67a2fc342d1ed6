import { expect, test } from "vitest";
import { preTerminateHook } from "../lib/machine.ts";
import { aCopy, dataFacts, evacuating } from "../lib/testing/data.ts";
import { aLeaving, aMachine, now, volumeFactsOf } from "../lib/testing/seen.ts";
import { releaseTerminate } from "./rule.ts";

const settings = releaseTerminate.settings.parse({});
const decide = (seen: ReturnType<typeof aLeaving>) => releaseTerminate.decide({ seen: [seen] }, now, settings)[0];
const called = { ...evacuating, calledAt: now - 600_000, before: { "pvc-1": 2 } };
const empty = dataFacts([aCopy("pvc-1", "node-2"), aCopy("pvc-1", "node-3")], called);
const machine = aMachine({ drain: false });

test("takes our hook from the Machine when the node is empty, and all has its copies elsewhere", () => {
  const decision = decide(aLeaving({ data: empty }, { machine }));
  expect(decision?.do === "write" && decision.writes.at(-1)).toMatchObject({
    name: "worker",
    patch: { metadata: { uid: "m1", resourceVersion: "3", annotations: { [preTerminateHook]: null } } },
  });
});

test.each([
  ["a copy is missing", { data: dataFacts([aCopy("pvc-1", "node-2")], called) }],
  ["something is left on the node", { data: dataFacts([aCopy("pvc-1", "node-1"), aCopy("pvc-1", "node-2")], called) }],
  ["a volume carries marks", { data: empty, volumes: [volumeFactsOf("pv-1", { marked: true })] }],
])("not while %s", (_, facts) => expect(decide(aLeaving(facts, { machine }))?.do).toBe("leave"));
