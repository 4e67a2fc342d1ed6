import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { steps } from "../../functions/satellite/lib/evacuation.ts";
import { LinstorSatellite } from "../../functions/satellite/lib/kinds.ts";
import { aCopy, aNode, dataFacts } from "../../functions/satellite/lib/testing/data.ts";
import { aLeaving, aMachine, aSatellite, now, volumeFactsOf } from "../../functions/satellite/lib/testing/seen.ts";
import { stepOf } from "../../shared/chain/chain.ts";
import type { Decision } from "../../shared/decision.ts";
import { rules } from "./rules.ts";

const chain = steps.map(({ name }) => {
  const rule = rules.find((one) => one.name === `satellite/${name}`);
  if (!rule) throw new Error(`There is no rule for the step ${name}.`);
  return { name, rule };
});

const flag = fc.boolean();
const copies = fc.subarray([
  aCopy("pvc-1", "node-1"),
  aCopy("pvc-1", "node-2"),
  aCopy("pvc-1", "node-3", "SyncTarget(9%)"),
  aCopy("pvc-2", "node-1", "Outdated"),
  aCopy("pvc-2", "node-3"),
]);
const data = fc
  .record({ copies, flagged: flag, online: flag, called: fc.option(fc.integer({ min: 0, max: 400_000 })) })
  .map(({ copies, flagged, online, called }) =>
    dataFacts(copies, {
      node: aNode("node-1", { flags: flagged ? ["EVACUATE"] : [], connection: online ? "ONLINE" : "OFFLINE" }),
      ...(called === null ? {} : { calledAt: now - called, before: { "pvc-1": 2 } }),
    }),
  );
const volume = fc
  .record({ here: flag, elsewhere: flag, waits: flag, overridden: flag, localOnly: flag, attachableElsewhere: flag })
  .map((more) => volumeFactsOf("pv-1", { ...more, marked: more.waits || more.overridden }));
const neighbour = fc.record({ name: fc.constant("node-2"), deleting: flag, configured: flag });
const leaving = fc
  .record({
    data,
    volumes: fc.array(volume, { maxLength: 1 }),
    neighbours: fc.array(neighbour, { maxLength: 1 }),
    machine: fc.option(fc.record({ drain: flag, terminate: flag })),
    record: flag,
    deleting: flag,
  })
  .map(({ machine, record, deleting, ...facts }) =>
    aLeaving(
      { ...facts, satellite: { deleting, held: true } },
      {
        satellite: aSatellite({ deleting, record: record ? {} : false }),
        ...(machine ? { machine: aMachine(machine) } : {}),
      },
    ),
  );

const decided = (name: string, seen: ReturnType<typeof aLeaving>): readonly Decision[] => {
  const rule = chain.find((one) => one.name === name)?.rule;
  if (!rule) return [];
  const settings = rule.settings.parse({});
  const around = { satellites: [seen.satellite], groups: new Map(), settings };
  const facts = { seen: [seen], lease: undefined, namespace: "holdfast", stale: [], ...around };
  return rule.decide(facts, now, settings);
};

describe("with anything found", () => {
  test("one rule acts, the one whose step it is, and all others leave", () => {
    fc.assert(
      fc.property(leaving, (seen) => {
        const { step } = stepOf(steps, seen.facts, now);
        for (const { name } of chain) {
          // What is said of volumes, and to whom, is no step of its own.
          const ofSatellite = decided(name, seen).filter(
            ({ kind, do: verb }) => kind === LinstorSatellite && verb !== "record",
          );
          expect([name, ofSatellite.every(({ do: verb }) => verb === "leave")]).toEqual([name, name !== step]);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("nothing but evacuate and remove calls LINSTOR, and neither does while a good copy is in the making", () => {
    fc.assert(
      fc.property(leaving, (seen) => {
        const calls = chain.flatMap(({ name }) => decided(name, seen)).filter(({ do: verb }) => verb === "call");
        const making = seen.facts.data?.copies.some(({ volumes }) =>
          volumes.some(({ diskState }) => diskState?.startsWith("Sync")),
        );
        const here = seen.facts.data?.copies.some(({ node, name }) => node === "node-1" && name === "pvc-1");
        if (making && here) expect(calls).toEqual([]);
        for (const call of calls) expect(call).toHaveProperty("command.input.node", "node-1");
      }),
      { numRuns: 300 },
    );
  });

  test("every decision says why in a sentence, and a hook goes only in its own step", () => {
    fc.assert(
      fc.property(leaving, (seen) => {
        for (const { name } of chain)
          for (const decision of decided(name, seen)) {
            expect(decision.message).toMatch(/^[A-Z].*[.…]$/s);
            const releases = /delete\.hook\.machine[^"]*\/linstor[^"]*":null/.test(JSON.stringify(decision));
            if (releases) expect(name).toMatch(/^release-/);
          }
      }),
      { numRuns: 300 },
    );
  });
});
