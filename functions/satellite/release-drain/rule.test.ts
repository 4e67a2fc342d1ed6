import { expect, test } from "vitest";
import { LinstorSatellite } from "../lib/kinds.ts";
import { preDrainHook } from "../lib/machine.ts";
import { aLeaving, aMachine, aSatellite, hintOf, now, volumeFactsOf } from "../lib/testing/seen.ts";
import { releaseDrain } from "./rule.ts";

const settings = releaseDrain.settings.parse({});
const decide = (seen: ReturnType<typeof aLeaving>) => releaseDrain.decide({ seen: [seen] }, now, settings)[0];

test("takes our hook, no other and no more, from the Machine as it was read", () => {
  const decision = decide(aLeaving({}, { machine: aMachine() }));
  const machine =
    decision?.do === "write" ? decision.writes.filter((write) => JSON.stringify(write).includes("worker")) : [];
  const metadata = { uid: "m1", resourceVersion: "3", annotations: { [preDrainHook]: null } };
  expect(machine).toMatchObject([{ verb: "patch", namespace: "capi", name: "worker", type: "merge" }]);
  expect(machine[0]).toHaveProperty("patch", { metadata });
});

test("shows on the Machine that its Node may be drained", () => {
  const event = releaseDrain.decide({ seen: [aLeaving({}, { machine: aMachine() })] }, now, settings)[1];
  expect(event).toMatchObject({
    do: "record",
    about: { kind: "Machine" },
    event: { reason: "SatelliteAllowedToBeDrained" },
  });
});

test.each([
  ["a volume is not marked", { volumes: [volumeFactsOf("pv-1", { here: true })] }],
  ["another satellite is not ready", { neighbours: [{ name: "node-2", deleting: false, configured: false }] }],
])("not while %s", (_, facts) => expect(decide(aLeaving(facts, { machine: aMachine() }))?.do).toBe("leave"));

test("is asked about satellites that leave", () => {
  const going = hintOf(LinstorSatellite, "update", aSatellite());
  const staying = hintOf(LinstorSatellite, "update", aSatellite({ deleting: false, record: false }));
  expect(releaseDrain.subjects(going, settings)).toEqual([{ kind: LinstorSatellite, name: "node-1" }]);
  expect(releaseDrain.subjects(staying, settings)).toEqual([]);
});
