import { expect, test } from "vitest";
import { LinstorSatellite } from "../lib/kinds.ts";
import { aCopy, dataFacts, evacuating } from "../lib/testing/data.ts";
import { aLeaving, aSatellite, hintOf, now } from "../lib/testing/seen.ts";
import { awaitEmpty } from "./rule.ts";

const settings = awaitEmpty.settings.parse({});
const decide = (seen: ReturnType<typeof aLeaving>) => awaitEmpty.decide({ seen: [seen] }, now, settings);
const called = { ...evacuating, calledAt: now - 600_000, before: { "pvc-1": 2 } };
const [here, there, syncing, third] = [
  aCopy("pvc-1", "node-1"),
  aCopy("pvc-1", "node-2"),
  aCopy("pvc-1", "node-3", "SyncTarget(9%)"),
  aCopy("pvc-1", "node-3"),
];

test.each([
  ["a copy is being made", dataFacts([here, there, syncing], called), "waiting"],
  ["too few copies are left elsewhere", dataFacts([there], called), "halting"],
])("%s: %s", (_, data, step) =>
  expect(decide(aLeaving({ data }))).toMatchObject([{ do: "write", step: { name: step }, next: now + 10_000 }]),
);

test("is done when the node is empty, and all has its copies", () =>
  expect(decide(aLeaving({ data: dataFacts([there, third], called) }))).toMatchObject([{ do: "leave" }]));

test("is asked by the sweep, by name", () => {
  expect(awaitEmpty.subjects(hintOf(LinstorSatellite, "sweep", "node-1"), settings)).toHaveLength(1);
  const staying = aSatellite({ deleting: false, record: false });
  expect(awaitEmpty.subjects(hintOf(LinstorSatellite, "update", staying), settings)).toEqual([]);
});
