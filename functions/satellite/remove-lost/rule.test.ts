import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isRemovalCalled, isRemovalProven, registrationKey, removalKey } from "../lib/noted-calls.ts";
import { satelliteFinalizer } from "../lib/satellite.ts";
import { aNode } from "../lib/testing/data.ts";
import { aMachine, aSatellite, aSeen, now, volumeFactsOf } from "../lib/testing/seen.ts";
import { type Facts, removeLost } from "./rule.ts";

const settings = removeLost.settings.parse({});
const seen = (more: Partial<Exclude<Facts, undefined>> = {}): Facts => ({
  ...aSeen({ satellite: aSatellite({ policy: "Delete" }) }),
  volumes: [],
  linstor: aNode("node-1", { connection: "OFFLINE" }),
  ...more,
});
const ago = (ms: number) => new Date(now - ms).toISOString();
const decide = (facts: Facts) => removeLost.decide(facts, now, settings)[0];

test("gives up a node that is offline", () => {
  expect(decide(seen())).toMatchObject({
    do: "call",
    command: { name: "give a node up as lost", input: { node: "node-1" } },
  });
});

test("says with its call only that it may remove the node, not that all is elsewhere", () => {
  const decision = decide(seen());
  const [note] = decision?.do === "call" ? (decision.writes ?? []) : [];
  const { annotations } = (note as { patch: { metadata: { annotations: object } } }).patch.metadata;
  const satellite = aSatellite({ policy: "Delete", metadata: { annotations } });
  expect([isRemovalCalled(satellite), isRemovalProven(satellite)]).toEqual([true, false]);
});

test.each(["ONLINE", "CONNECTED"])("waits while the node is %s", (connection) => {
  const waiting = { do: "write", step: { name: "connected" }, message: expect.stringContaining("DaemonSet") };
  expect(decide(seen({ linstor: aNode("node-1", { connection }) }))).toMatchObject(waiting);
});

test.each<[string, object | undefined, boolean]>([
  ["that LINSTOR has refused", { called: ago(60_000), answered: true }, true],
  ["that can no longer take effect", { called: ago(600_001) }, true],
  ["that may still take effect", { called: ago(60_000) }, false],
  ["that there was not", undefined, false],
])("the note of a call %s does not excuse the loss of a node that is connected", (_, call, isWithdrawn) => {
  const text = JSON.stringify({ v: 1, uid: "u1", ...call });
  const annotations = call ? { [removalKey]: text } : {};
  const satellite = aSatellite({ policy: "Delete", metadata: { annotations } });
  const decision = decide({ ...aSeen({ satellite }), volumes: [], linstor: aNode("node-1") });
  const path = "/metadata/annotations/holdfast.dev~1removal";
  const patches = (decision?.do === "write" ? decision.writes : []).map((write) => "patch" in write && write.patch);
  const withdrawal = expect.arrayContaining([
    { op: "test", path, value: text },
    { op: "remove", path },
  ]);
  expect(patches.filter(Array.isArray)).toEqual(isWithdrawn ? [withdrawal] : []);
});

test("a call that LINSTOR has refused is repeated only after a pause", () => {
  const afterCall = (ms: number) => {
    const annotations = { [removalKey]: JSON.stringify({ v: 1, uid: "u1", called: ago(ms), answered: true }) };
    const satellite = aSatellite({ policy: "Delete", metadata: { annotations } });
    return decide({ ...aSeen({ satellite }), volumes: [], linstor: aNode("node-1", { connection: "OFFLINE" }) });
  };
  const { satelliteLookAgain } = settings;
  const message = expect.stringContaining("still lists it");
  expect(afterCall(satelliteLookAgain - 1)).toMatchObject({ do: "write", step: { name: "losing" }, message });
  for (const ms of [satelliteLookAgain, -1_000]) expect(afterCall(ms)).toMatchObject({ do: "call" });
});

test("lets the satellite go when LINSTOR does not list the node", () =>
  expect(JSON.stringify(decide(seen({ linstor: undefined })))).toContain(satelliteFinalizer));

test("waits while a call to register the node may still have its effect", () => {
  const called = (ago: number) => {
    const annotation = JSON.stringify({ v: 1, uid: "u1", called: new Date(now - ago).toISOString(), calls: 1 });
    const satellite = aSatellite({ policy: "Delete", metadata: { annotations: { [registrationKey]: annotation } } });
    return { ...aSeen({ satellite }), volumes: [], linstor: undefined };
  };
  // The last one: callers listen for 170 s, and this clock may be a minute ahead of theirs.
  for (const ago of [60_000, 240_000]) {
    const message = expect.stringMatching(/may still register the node .* until 20/);
    expect(decide(called(ago))).toMatchObject({ do: "write", step: { name: "registering" }, message });
  }
  expect(JSON.stringify(decide(called(600_000)))).toContain(satelliteFinalizer);
});

test.each([
  ["marks", { volumes: [volumeFactsOf("pv-1", { marked: true })] }],
  ["hooks", { machine: aMachine() }],
])("gives nothing up before %s are gone", (_, more) =>
  expect(decide(seen(more))).toMatchObject({ do: "write", step: { name: "cleaning" } }),
);

test("never gives up a node under another policy, nor one that stays", () => {
  const policy = fc.constantFrom("Evacuate", "Retain", "", "delete");
  fc.assert(
    fc.property(policy, fc.boolean(), (policy, deleting) => {
      const facts = {
        ...aSeen({ satellite: aSatellite({ policy, deleting }) }),
        volumes: [],
        linstor: aNode("node-1"),
      };
      expect(decide(facts)?.do).toBe("leave");
    }),
  );
  expect(decide(seen({ satellite: aSatellite({ policy: "Delete", deleting: false }) }))?.do).toBe("leave");
});

describe("where its LinstorCluster leads to another LINSTOR meanwhile", () => {
  test.each([undefined, aNode("node-1", { connection: "OFFLINE" })])("it stays, and says why", (linstor) => {
    const decision = decide(seen({ linstor, moved: "It was elsewhere." }));
    expect(decision).toMatchObject({ do: "write", step: { name: "stuck" }, message: "It was elsewhere." });
    expect(JSON.stringify(decision?.do === "write" && decision.writes)).not.toContain("finalizers");
  });

  test("the same LINSTOR is noted before it is called, which then lists the node no more", () => {
    const note = { "holdfast.dev/linstor": "there" };
    const noted = { do: "write", writes: [{ patch: { metadata: { annotations: note } } }] };
    expect(decide(seen({ note }))).toMatchObject(noted);
    expect(decide(seen({ controller: "http://other" }))).toMatchObject({
      do: "call",
      command: { input: { at: "http://other", node: "node-1" } },
    });
  });
});
