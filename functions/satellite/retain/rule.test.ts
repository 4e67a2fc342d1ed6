import { expect, test } from "vitest";
import { LinstorSatellite } from "../lib/kinds.ts";
import { satelliteFinalizer } from "../lib/satellite.ts";
import { aMachine, aSatellite, aSeen, now, volumeFactsOf } from "../lib/testing/seen.ts";
import { retain } from "./rule.ts";

const decide = (seen: Parameters<typeof retain.decide>[0]) => retain.decide(seen, now, retain.settings.parse({}))[0];
const retained = aSatellite({ policy: "Retain" });

test("lets a satellite go at once", () => {
  expect(decide({ ...aSeen({ satellite: retained }), volumes: [] })).toMatchObject({ do: "write" });
  expect(JSON.stringify(decide({ ...aSeen({ satellite: retained }), volumes: [] }))).toContain(satelliteFinalizer);
});

test.each([
  ["marks", aSeen({ satellite: retained }), [volumeFactsOf("pv-1", { marked: true })]],
  ["hooks", aSeen({ satellite: retained, machine: aMachine({ deleting: false }) }), []],
])("waits until the %s of an evacuation that was given up are gone", (what, seen, volumes) => {
  expect(decide({ ...seen, volumes })).toMatchObject({ do: "wait", message: expect.stringContaining(what) });
});

test.each([
  ["Evacuate", aSatellite()],
  ["Delete", aSatellite({ policy: "Delete" })],
  ["Retain, and is alive", aSatellite({ policy: "Retain", deleting: false })],
])("leaves a satellite whose policy is %s", (_, satellite) => {
  expect(decide({ ...aSeen({ satellite }), volumes: [] })?.do).toBe("leave");
});

test("takes an unknown policy, and none, for Retain", () => {
  for (const policy of ["", "Shred"])
    expect(decide({ ...aSeen({ satellite: aSatellite({ policy }), policy: "Retain" }), volumes: [] })?.do).toBe(
      "write",
    );
});

test("takes no hook off a Machine where the policy is another one meanwhile", () => {
  const satellite = aSatellite({ policy: "Retain" });
  const decision = decide({ ...aSeen({ satellite, machine: aMachine() }), volumes: [] });
  expect(JSON.stringify(decision)).toContain("linstor-wait-for-complete-evacuation");
  const [precondition] = decision?.do === "write" ? (decision.preconditions ?? []) : [];
  expect(precondition).toMatchObject({ kind: LinstorSatellite, name: "node-1" });
  expect(precondition?.holds(satellite)).toBe(true);
  expect(precondition?.holds(aSatellite({ policy: "Evacuate" }))).toBe(false);
});
