import { expect, test } from "vitest";
import { type Kind, PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import { SystemError } from "../../../shared/system/system-error.ts";
import { LinstorSatellite } from "../lib/kinds.ts";
import { aCopy, dataFacts, evacuating } from "../lib/testing/data.ts";
import { aLeaving, aSatellite, aSeen, aVolume, hintOf, now, volumeFactsOf } from "../lib/testing/seen.ts";
import { type Facts, unmark } from "./rule.ts";

const settings = unmark.settings.parse({});
const marks = { "override.piraeus.io/node-1": "true", "override.piraeus.io/node-10": "true", other: "x" };

test("takes the marks of this node, and of no other, from volumes whose evacuation is complete", () => {
  const called = { ...evacuating, calledAt: now - 600_000, before: { "pvc-1": 2 } };
  const data = dataFacts([aCopy("pvc-1", "node-2"), aCopy("pvc-1", "node-3")], called);
  const objects = new Map([["pv-1", aVolume("pv-1", marks)]]);
  const seen = aLeaving({ data, objects, volumes: [volumeFactsOf("pv-1", { marked: true })] });
  const [decision] = unmark.decide({ seen: [seen], stale: [] }, now, settings);
  const annotations = { "override.piraeus.io/node-1": null };
  expect(decision?.do === "write" && decision.writes.at(-1)).toHaveProperty("patch", {
    metadata: { uid: "uid-of-pv-1", resourceVersion: "5", annotations },
  });
});

test("leaves marks that an evacuation still needs", () => {
  const seen = aLeaving({ volumes: [volumeFactsOf("pv-1", { here: true, waits: true, marked: true })] });
  expect(unmark.decide({ seen: [seen], stale: [] }, now, settings)).toMatchObject([{ do: "leave" }]);
});

test("removes marks that no evacuation needs, with and without a satellite", () => {
  const stale = [{ node: "node-1", volume: aVolume("pv-1", marks) }];
  for (const seen of [[], [aSeen({ leaving: false })]]) {
    const decisions = unmark.decide({ seen, stale }, now, settings).filter(({ do: verb }) => verb === "write");
    expect(decisions).toMatchObject([{ about: { metadata: { name: "pv-1" } } }]);
  }
});

test.each([
  ["a volume with marks of two nodes", hintOf(PersistentVolume, "add", aVolume("pv-1", marks)), ["node-1", "node-10"]],
  ["one without", hintOf(PersistentVolume, "update", aVolume("pv-1")), []],
  ["a satellite that is gone", hintOf(LinstorSatellite, "delete", aSatellite()), ["node-1"]],
])("an event about %s", (_, hint, names) => {
  expect(unmark.subjects(hint, settings).map(({ name }) => name)).toEqual(names);
});

test("leaves marks of an evacuation that begins while volumes are looked at", async () => {
  let live = aSatellite({ deleting: false, record: false });
  const client = {
    get: async (kind: Kind) => (kind === LinstorSatellite ? live : undefined),
    async *list(kind: Kind) {
      if (kind !== PersistentVolume) return;
      live = aSatellite();
      yield aVolume("pv-1", marks);
    },
  };
  const away = () => {
    throw new SystemError("LINSTOR", "unreachable", "It is away.");
  };
  const view = { client, linstor: { at: away }, settings } as never;
  const facts = (await unmark.look({ kind: LinstorSatellite, name: "node-1" }, view)) as Facts;
  expect(unmark.decide(facts, now, settings).filter(({ about }) => about.metadata.name === "pv-1")).toEqual([]);
});

test("takes marks of a node that has no satellite", async () => {
  const client = {
    get: async () => undefined,
    async *list(kind: Kind) {
      if (kind === PersistentVolume) yield aVolume("pv-1", marks);
    },
  };
  const view = { client, linstor: undefined, settings } as never;
  const facts = (await unmark.look({ kind: LinstorSatellite, name: "node-1" }, view)) as Facts;
  expect(unmark.decide(facts, now, settings)).toMatchObject([{ do: "write", about: { metadata: { name: "pv-1" } } }]);
});
