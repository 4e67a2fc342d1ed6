import { expect, test } from "vitest";
import { LinstorSatellite } from "../lib/kinds.ts";
import { readRecord, recordKey } from "../lib/record.ts";
import { aLeaving, aSatellite, hintOf, now } from "../lib/testing/seen.ts";
import { awaitSatellites } from "./rule.ts";

const settings = awaitSatellites.settings.parse({});
const decide = (seen: ReturnType<typeof aLeaving>) => awaitSatellites.decide({ seen: [seen] }, now, settings);
const minute = 60_000;
const neighbours = [
  { name: "node-2", deleting: false, configured: false },
  { name: "node-3", deleting: true, configured: false },
];

test("names who is not ready, leaves out who goes, and writes down since when", () => {
  const [decision] = decide(aLeaving({ neighbours }));
  expect(decision).toMatchObject({ do: "write", message: expect.stringMatching(/ready: node-2\./) });
  const [first] = decision?.do === "write" ? decision.writes : [];
  const { annotations } = (first as { patch: { metadata: { annotations: Record<string, string> } } }).patch.metadata;
  expect(annotations[recordKey]).toBeDefined();
  expect(readRecord(aSatellite({ metadata: { annotations } }))?.awaited).toBe(new Date(now).toISOString());
});

test.each([
  [29, "write"],
  [30, "leave"],
])("after %i minutes it does: %s", (minutes, verb) => {
  const since = { neighboursSince: now - minutes * minute, neighboursLimit: 30 * minute };
  expect(decide(aLeaving({ neighbours, ...since })).at(-1)?.do).toBe(verb);
});

test("warns once, when it gives the wait up", () => {
  const since = { neighboursSince: now - 31 * minute, neighboursLimit: 30 * minute };
  const progress = { v: 1, uid: "u1", step: "waiting", since: "2025-12-31T23:00:00Z", because: "Waiting." };
  const satellite = aSatellite();
  const annotations = {
    ...satellite.metadata.annotations,
    "holdfast.dev/satellite.await-satellites": JSON.stringify(progress),
  };
  const waited = { ...satellite, metadata: { ...satellite.metadata, annotations } };
  expect(decide(aLeaving({ neighbours, ...since }, { satellite: waited })).map(({ do: verb }) => verb)).toEqual([
    "record",
    "leave",
  ]);
  expect(decide(aLeaving({ neighbours, ...since })).map(({ do: verb }) => verb)).toEqual(["leave"]);
});

test("is asked about all that leave when any satellite changes or goes", () => {
  const other = aSatellite({ deleting: false, record: false, metadata: { name: "node-9" } });
  for (const change of ["update", "delete"] as const)
    expect(awaitSatellites.subjects(hintOf(LinstorSatellite, change, other), settings)).toEqual([
      { kind: LinstorSatellite },
    ]);
});
