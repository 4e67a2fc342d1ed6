import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ChainPosition, stepOf as stepIn } from "../../../shared/chain/chain.ts";
import { evacuationReport, ignored, type StepName, steps } from "./evacuation.ts";
import type { AbandonedFacts, EvacuationFacts, ReadyFacts } from "./evacuation-facts.ts";
import { aCopy, aNode, dataFacts, evacuating } from "./testing/data.ts";
import { aSatellite, readyFacts, volumeFactsOf, unlisted as without } from "./testing/seen.ts";
import type { VolumeFacts } from "./volumes.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const minute = 60_000;

const volume = (more: Partial<VolumeFacts> = {}): VolumeFacts => volumeFactsOf("pv-1", more);
const moved = volume({ elsewhere: true, waits: true, marked: true });
const facts = readyFacts;
const stepOf = (given: EvacuationFacts) => stepIn(steps, given, now);
const abandoned = ({ data: _, ...given }: ReadyFacts, message: string): AbandonedFacts => ({
  ...given,
  is: "abandoned",
  message,
});
const both = { hooks: { preDrain: true, preTerminate: true } };
const terminateOnly = { hooks: { preDrain: false, preTerminate: true } };
const called = { ...evacuating, calledAt: now - 10 * minute };
const syncing = dataFacts(
  [aCopy("pvc-1", "node-1"), aCopy("pvc-1", "node-2"), aCopy("pvc-1", "node-3", "SyncTarget(9%)")],
  called,
);
const empty = dataFacts([aCopy("pvc-1", "node-2"), aCopy("pvc-1", "node-3")], { ...called, before: { "pvc-1": 2 } });

describe("the document's nine steps, one after the other", () => {
  test("are in the document's order", () => {
    expect(steps.map(({ name }) => name)).toEqual([
      "mark",
      "await-satellites",
      "release-drain",
      "await-reattach",
      "evacuate",
      "await-empty",
      "unmark",
      "release-terminate",
      "remove",
    ]);
  });

  const isAt = (step: StepName, message: RegExp, more: Parameters<typeof facts>[0], given = facts(more)) =>
    expect(stepOf(given)).toEqual({ step, message: expect.stringMatching(message), stuck: false });
  test("1: an attached volume is not marked", () =>
    isAt("mark", /pv-1/, { ...both, volumes: [volume({ here: true })] }));
  test("1: one with allowRemoteVolumeAccess false lacks its override", () =>
    isAt("mark", /being marked: pv-1/, { ...both, volumes: [volume({ here: true, waits: true, localOnly: true })] }));
  test("1: one that is bound to the node otherwise lacks it, too", () =>
    isAt("mark", /being marked: pv-1/, {
      ...both,
      volumes: [volume({ here: true, waits: true, attachableElsewhere: false })],
    }));
  test("1: an override that has not taken effect is waited for", () =>
    isAt("mark", /Waiting for PVs to be schedulable on other nodes: pv-1/, {
      ...both,
      volumes: [volume({ here: true, waits: true, overridden: true, attachableElsewhere: false })],
    }));
  test("2: another satellite is not ready", () =>
    isAt("await-satellites", /Waiting for LinstorSatellites to become ready: node-2/, {
      ...both,
      neighbours: [{ name: "node-2", deleting: false, configured: false }],
    }));
  test("3: the pre-drain hook is there", () => isAt("release-drain", /pre-drain hook is being removed/, both));
  test("4: a marked volume is still attached there", () =>
    isAt("await-reattach", /Waiting for PVs to reattach on other nodes: pv-1/, {
      ...terminateOnly,
      volumes: [volume({ here: true, waits: true, marked: true })],
    }));
  test("4: it is attached nowhere", () =>
    isAt("await-reattach", /pv-1/, { ...terminateOnly, volumes: [volume({ waits: true, marked: true })] }));
  test("4: it is attached elsewhere, and its annotations have not gone yet", () =>
    isAt("await-reattach", /attached on other nodes: pv-1/, { ...terminateOnly, volumes: [moved] }));
  test("4: it is attached elsewhere, and a person had ended the wait: should it come back, it is waited for", () =>
    isAt("await-reattach", /attached on other nodes: pv-1/, {
      ...terminateOnly,
      volumes: [{ ...moved, waits: false, waitsSince: now - minute }],
    }));
  test("5: a person has ended the wait for one that is still attached there", () =>
    isAt("evacuate", /can be moved/, {
      ...terminateOnly,
      volumes: [volume({ here: true, waitsSince: now - minute, marked: true })],
    }));
  test("1: it still lacks its override", () =>
    isAt("mark", /being marked: pv-1/, {
      ...both,
      volumes: [volume({ here: true, waitsSince: now - minute, localOnly: true })],
    }));
  test("5: LINSTOR was not called", () =>
    isAt("evacuate", /can be moved/, { ...terminateOnly, volumes: [{ ...moved, waits: false }] }));
  test("6: LINSTOR is at it", () =>
    isAt("await-empty", /Waiting on remaining resources and snapshots: .*pvc-1.*node-3/, {
      ...terminateOnly,
      volumes: [moved],
      data: syncing,
    }));
  test("7: volumes still carry marks", () =>
    isAt("unmark", /pv-1/, { ...terminateOnly, volumes: [moved], data: empty }));
  test("8: the pre-terminate hook is there", () =>
    isAt("release-terminate", /shut down/, { ...terminateOnly, data: empty }));
  test("9: the node is still in LINSTOR", () => isAt("remove", /nothing is lost/, { data: empty }));
  test("9: the finalizer still holds", () => isAt("remove", /does not list the node/, {}, without(facts())));

  test("done: the node is gone from LINSTOR, and nothing holds the satellite", () => {
    const gone = without(facts({ satellite: { deleting: true, held: false } }));
    expect(stepOf(gone)).toMatchObject({ step: "done" });
  });
  test("while only the Machine is deleted, the last step waits for Cluster API to delete the Node", () => {
    const hooks = { preDrain: false, preTerminate: false };
    const given = facts({ satellite: { deleting: false, held: true }, hooks, data: empty });
    expect(stepOf(given)).toMatchObject({
      step: "remove",
      message: expect.stringMatching(/Cluster API to delete the Node/),
    });
  });
});

describe("what piraeus-operator's own tests expect, in their words", () => {
  test("1. an empty satellite needs nothing but the call, and then both hooks go", () => {
    expect(stepOf(facts({ data: dataFacts([]) }))).toMatchObject({ step: "evacuate" });
    expect(stepOf(facts({ ...both, data: dataFacts([], called) }))).toMatchObject({ step: "release-drain" });
    expect(stepOf(facts({ ...terminateOnly, data: dataFacts([], called) }))).toMatchObject({
      step: "release-terminate",
    });
  });
  test("2. of four volumes only the local attached one is to become schedulable", () => {
    const given = [
      volume({
        name: "local-attached",
        here: true,
        waits: true,
        overridden: true,
        localOnly: true,
        attachableElsewhere: false,
      }),
      volume({ name: "remote-attached", here: true, waits: true }),
      volume({ name: "local-unattached", localOnly: true, attachableElsewhere: false }),
      volume({ name: "remote-unattached" }),
    ];
    const { step, message } = stepOf(facts({ ...both, volumes: given }));
    expect(step).toBe("mark");
    expect(message).toMatch(/schedulable on other nodes: local-attached\./);
  });
  test("4. an unready satellite is named, and not the one that leaves", () => {
    const neighbours = ["node-1", "node-b"].map((name) => ({ name, deleting: false, configured: false }));
    expect(stepOf(facts({ ...both, neighbours })).message).toMatch(/to become ready: node-b\./);
  });
  test("5. volumes that are still attached are named", () => {
    const volumes = ["a", "b"].map((name) => volume({ name, here: true, waits: true, marked: true }));
    expect(stepOf(facts({ ...terminateOnly, volumes })).message).toMatch(/reattach on other nodes: a, b\./);
  });
  test("7. with all resources elsewhere, marks and hooks are what is left to take away", () =>
    expect(stepOf(facts({ ...terminateOnly, volumes: [moved], data: empty })).step).toBe("unmark"));
});

describe("bad cases that piraeus-operator has", () => {
  const unlisted = without(facts({ ...both, volumes: [moved] }));
  test("1. the Node is gone: the Machine that was written down still gets its hooks released, in order", () => {
    expect(stepOf(facts({ ...both }))).toMatchObject({ step: "release-drain" });
    expect(stepOf(facts({ ...terminateOnly, data: empty }))).toMatchObject({ step: "release-terminate" });
  });
  test("2. the LINSTOR node was removed by hand: hooks and marks go all the same", () => {
    expect(stepOf(unlisted).step).toBe("release-drain");
    expect(stepOf({ ...unlisted, ...terminateOnly }).step).toBe("unmark");
    expect(stepOf({ ...unlisted, ...terminateOnly, volumes: [] }).step).toBe("release-terminate");
    const { hooks: _hooks, ...free } = unlisted;
    expect(stepOf({ ...free, volumes: [] })).toMatchObject({
      step: "remove",
      message: expect.stringMatching(/not list/),
    });
  });
  test("3. a LINSTOR that no longer evacuates does not count as one that was", () => {
    const restored = dataFacts([aCopy("pvc-1", "node-1"), aCopy("pvc-1", "node-2")], { calledAt: now - 10 * minute });
    expect(stepOf(facts({ ...terminateOnly, data: restored }))).toMatchObject({ step: "evacuate" });
  });
  test("4. an offline satellite is said, with the way out", () => {
    const node = aNode("node-1", { connection: "OFFLINE" });
    const offline = stepOf(facts({ data: dataFacts([aCopy("pvc-1", "node-1", "absent")], { node }) }));
    expect(offline).toMatchObject({
      step: "evacuate",
      message: expect.stringMatching(/OFFLINE/),
      advice: expect.stringMatching(/Bring it back.*Delete/),
    });
    const flagged = aNode("node-1", { connection: "OFFLINE", flags: ["EVACUATE"] });
    const leaving = [aCopy("pvc-1", "node-1", "absent", { flags: ["DELETE"] })];
    expect(stepOf(facts({ data: dataFacts(leaving, { ...called, node: flagged }) }))).toMatchObject({
      step: "await-empty",
      message: expect.stringMatching(/OFFLINE/),
    });
  });
  test("5. two satellites that are deleted at once do not wait for each other", () => {
    const neighbours = [{ name: "node-2", deleting: true, configured: false }];
    expect(stepOf(facts({ neighbours })).step).toBe("evacuate");
  });
  test("6. an unrelated broken satellite is named, and waited for no longer than the limit", () => {
    const neighbours = [{ name: "node-3", deleting: false, configured: false }];
    const limit = { neighbours, neighboursLimit: 15 * minute };
    const since = (ago: number) => facts({ ...limit, neighboursSince: now - ago });
    expect(stepOf(since(14 * minute)).step).toBe("await-satellites");
    expect(ignored(since(14 * minute), now)).toEqual([]);
    expect(stepOf(since(15 * minute)).step).toBe("evacuate");
    expect(ignored(since(15 * minute), now)).toEqual(["node-3"]);
    expect(stepOf(facts({ neighbours, neighboursSince: 0 })).step).toBe("await-satellites");
    expect(stepOf(facts({ ...limit, neighboursSince: now + minute })).step).toBe("await-satellites");
  });
  test("7. what LINSTOR could not do is in the sentence, and what LINSTOR cannot move is stuck", () => {
    const warnings = ["Resource 'pvc-1' cannot be evacuated as no available storage pool was found"];
    const again = dataFacts([aCopy("pvc-1", "node-1"), aCopy("pvc-1", "node-2", "SyncTarget(1%)")], {
      ...called,
      warnings,
    });
    expect(stepOf(facts({ data: again })).message).toContain(warnings[0]);
    const layers = { layer_object: { type: "STORAGE" }, state: {} };
    const storage = dataFacts([aCopy("vol", "node-1", "absent", layers)], called);
    expect(stepOf(facts({ data: storage }))).toMatchObject({ step: "await-empty", stuck: true });
  });
  test("the whole cluster is deleted: nothing is moved, everything is released", () => {
    const message = "The whole cluster is being deleted.";
    const given = abandoned(facts({ ...both, volumes: [moved, volume({ name: "b", here: true })] }), message);
    expect(stepOf(given).step).toBe("release-drain");
    expect(stepOf({ ...given, ...terminateOnly }).step).toBe("unmark");
    expect(stepOf({ ...given, ...terminateOnly, volumes: [] }).step).toBe("release-terminate");
    const free = { ...given, hooks: { preDrain: false, preTerminate: false }, volumes: [] };
    expect(stepOf(free)).toMatchObject({ step: "remove", message, stuck: false });
    expect(stepOf({ ...free, satellite: { deleting: true, held: false } }).step).toBe("done");
  });
});

describe("what comes late", () => {
  test("a volume that is attached after the drain is marked, and waited for", () => {
    const late = volume({ name: "late", here: true });
    expect(stepOf(facts({ ...terminateOnly, volumes: [moved, late] })).step).toBe("mark");
  });
  test("a VolumeAttachment that no attacher removes does not hold a node that is empty", () => {
    const stale = volume({ here: true, waits: true, marked: true });
    expect(stepOf(facts({ volumes: [stale], data: empty })).step).toBe("unmark");
    expect(stepOf(facts({ volumes: [volume({ here: true })], data: empty })).step).toBe("remove");
  });
  test("marks that the affinity controller has lost are put there again", () =>
    expect(stepOf(facts({ volumes: [volume({ here: true, overridden: true })] })).step).toBe("mark"));
  test("marks that it has brought back are taken away again", () =>
    expect(stepOf(facts({ volumes: [volume({ marked: true })], data: empty })).step).toBe("unmark"));
  test("after LINSTOR was called, neither a satellite that breaks nor a marked volume leads back", () => {
    const neighbours = [{ name: "node-2", deleting: false, configured: false }];
    expect(stepOf(facts({ neighbours, volumes: [volume({ waits: true })], data: syncing })).step).toBe("await-empty");
  });
  test("an evacuation that a person has begun does not take away those waits", () => {
    const { calledAt: _, ...others } = syncing;
    expect(stepOf(facts({ volumes: [volume({ waits: true })], data: others })).step).toBe("await-reattach");
  });
  test("a pre-drain hook that comes back is released again", () =>
    expect(stepOf(facts({ ...both, data: syncing })).step).toBe("release-drain"));
  test("a volume that no pod will attach is not waited for", () =>
    expect(stepOf(facts({ volumes: [volume({ waits: true, leaving: true })] })).step).toBe("evacuate"));
  test("a wait for volumes has a limit where one is set", () => {
    const volumes = [volume({ waits: true, waitsSince: now - 5 * minute })];
    expect(stepOf(facts({ volumes, reattachLimit: 6 * minute })).step).toBe("await-reattach");
    expect(stepOf(facts({ volumes, reattachLimit: 5 * minute })).step).toBe("evacuate");
    expect(stepOf(facts({ volumes, reattachLimit: 0 })).step).toBe("evacuate");
    expect(stepOf(facts({ volumes: [volume({ waits: true })], reattachLimit: minute })).step).toBe("await-reattach");
  });
});

describe("properties of the chain in any state", () => {
  const flag = fc.boolean();
  const someVolume = fc
    .record({
      here: flag,
      elsewhere: flag,
      waits: flag,
      overridden: flag,
      localOnly: flag,
      attachableElsewhere: flag,
      leaving: flag,
    })
    .map((given) => volume({ ...given, marked: given.waits || given.overridden }));
  const copies = [aCopy("pvc-1", "node-2"), aCopy("pvc-1", "node-3")];
  const someData = fc.constantFrom(
    undefined,
    dataFacts([aCopy("pvc-1", "node-1")]),
    syncing,
    empty,
    dataFacts(copies.slice(1), { before: { "pvc-1": 2 } }),
    dataFacts([aCopy("pvc-1", "node-1", "Outdated")]),
  );
  const someFacts = fc
    .record({
      volumes: fc.array(someVolume, { maxLength: 3 }),
      hooks: fc.option(fc.record({ preDrain: flag, preTerminate: flag }), { nil: undefined }),
      satellite: fc.record({ deleting: flag, held: flag }),
      abandoned: fc.option(fc.constant("The cluster is being deleted."), { nil: undefined }),
      neighbours: fc.array(fc.record({ name: fc.constant("node-2"), deleting: flag, configured: flag }), {
        maxLength: 1,
      }),
      data: someData,
    })
    .map(({ abandoned: message, data, hooks, ...given }): EvacuationFacts => {
      const base = { ...without(facts()), ...given, ...(hooks ? { hooks } : {}) };
      if (message !== undefined) return abandoned(base, message);
      return { ...base, ...(data ? { data } : {}) };
    });
  const order = [...steps.map(({ name }) => name), "done"];

  test("the pre-terminate hook is released only when nothing is left to save, and no mark is left", () => {
    fc.assert(
      fc.property(someFacts, (given) => {
        if (order.indexOf(stepOf(given).step) < order.indexOf("release-terminate")) return;
        expect(given.volumes.filter(({ marked }) => marked)).toEqual([]);
        expect(given.hooks?.preDrain ?? false).toBe(false);
        const nothingToSave = given.is === "abandoned" || given.data === undefined || given.data === empty;
        expect(nothingToSave).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
  test("nothing is abandoned half-way: doing the step that is named comes to an end", () => {
    fc.assert(
      fc.property(someFacts, (start) => {
        let given: EvacuationFacts = { ...start, satellite: { ...start.satellite, deleting: true } };
        for (let pass = 0; pass < 20; pass++) {
          const { step, stuck } = stepOf(given);
          if (step === "done" || stuck) return;
          given = carryOut(step, given);
        }
        expect(stepOf(given)).toMatchObject({ step: "done" });
      }),
      { numRuns: 1000 },
    );
  });

  /** What the rule of a step, or the world that it waits for, makes of the facts. */
  function carryOut(step: StepName, given: EvacuationFacts): EvacuationFacts {
    const volumes = (change: (volume: VolumeFacts) => Partial<VolumeFacts>) => ({
      ...given,
      volumes: given.volumes.map((one) => ({ ...one, ...change(one) })),
    });
    const { hooks } = given;
    const isReady = given.is === "ready";
    switch (step) {
      case "mark":
        return volumes(({ here }) =>
          here ? { waits: true, overridden: true, marked: true, attachableElsewhere: true } : {},
        );
      case "await-satellites":
        return { ...given, neighbours: [] };
      case "release-drain":
        return { ...given, hooks: { preTerminate: false, ...hooks, preDrain: false } };
      case "await-reattach":
        return volumes(() => ({ here: false, elsewhere: true, waits: false }));
      case "evacuate":
        return isReady ? { ...given, data: syncing } : given;
      case "await-empty":
        return isReady ? { ...given, data: empty } : given;
      case "unmark":
        return volumes(() => ({ waits: false, overridden: false, marked: false }));
      case "release-terminate":
        return { ...given, hooks: { preDrain: false, ...hooks, preTerminate: false } };
      case "remove":
        return { ...(isReady ? without(given) : given), satellite: { deleting: true, held: false } };
    }
  }
});

const standing = (step: string, more: Partial<ChainPosition> = {}): ChainPosition => ({
  step,
  message: "It waits.",
  stuck: false,
  ...more,
});
const alive = aSatellite({ deleting: false });

test.each<[ChainPosition, string, string, string]>([
  [standing("mark"), "False", "InProgress", "It waits."],
  [standing("await-empty"), "False", "InProgress", "It waits."],
  [standing("await-empty", { stuck: true }), "False", "Error", "Error: It waits."],
  [standing("mark", { away: "LINSTOR" }), "Unknown", "Away", "It waits."],
  [standing("unmark"), "True", "Completed", "It waits."],
  [standing("remove"), "True", "Completed", "It waits."],
  [standing("remove", { stuck: true }), "False", "Error", "Error: It waits."],
  [standing("done"), "True", "Completed", "It waits."],
])("%j", (given, status, reason, message) => {
  expect(evacuationReport(given, alive)).toEqual(
    ["SatelliteEvacuated", "EvacuationCompleted"].map((type) => ({ type, status, reason, message })),
  );
});

test("the removal of a satellite that is being deleted is done last", () => {
  const removal = (given: ChainPosition) => evacuationReport(given, aSatellite())[2];
  expect(removal(standing("remove"))).toMatchObject({ type: "SatelliteDeleted", status: "False" });
  expect(removal(standing("evacuate", { stuck: true }))).toMatchObject({
    reason: "Error",
    message: "Error: It waits.",
  });
  expect(removal(standing("mark", { away: "LINSTOR" }))).toMatchObject({ status: "Unknown", reason: "Away" });
  expect(removal(standing("done"))).toMatchObject({ status: "True" });
});
