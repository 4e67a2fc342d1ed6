import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { heldUntil, Lease, type LeaseObject } from "../../../shared/kubernetes/lease.ts";
import { linstor } from "../lib/linstor/system.ts";
import { restorationKey } from "../lib/noted-calls.ts";
import { readRecord, recordKey } from "../lib/record.ts";
import { aCopy, aNode, dataFacts } from "../lib/testing/data.ts";
import { aLeaving, aSatellite, aSeen, now } from "../lib/testing/seen.ts";
import { evacuate, type Facts } from "./rule.ts";

const settings = evacuate.settings.parse({});
const decide = (seen: Facts["seen"][number], lease?: LeaseObject) =>
  evacuate.decide({ lease, namespace: "holdfast", seen: [seen] }, now, settings)[0];
const lease = (holder: string, takenAt: number): LeaseObject => ({
  apiVersion: Lease.apiVersion,
  kind: Lease.kind,
  metadata: { name: "holdfast-linstor-evacuate", namespace: "holdfast", uid: "l1", resourceVersion: "9" },
  spec: { holderIdentity: holder, renewTime: new Date(takenAt).toISOString(), leaseDurationSeconds: 180 },
});
const takenBy = (spec: object) =>
  expect.objectContaining({ patch: expect.objectContaining({ spec: expect.objectContaining(spec) }) });
const own = "LinstorSatellite node-1 (u1)";
/** What the Lease says with the first write of a decision. */
function notedBy(decision: ReturnType<typeof decide>): Record<string, string> {
  const [first] = (decision?.do === "call" && decision.writes) || [];
  const { object, patch } = first as unknown as Record<"object" | "patch", LeaseObject>;
  return (object ?? patch)?.metadata.annotations ?? {};
}

test("the Lease of a call lasts three times as long as a function may listen to one", () => {
  const { writes } = decide(aLeaving()) as unknown as { writes: { object: LeaseObject }[] };
  const lasts = (writes[0]?.object.spec?.leaseDurationSeconds ?? 0) * 1000;
  const listens = (milliseconds: number) => linstor.settings.safeParse({ linstorCommandTimeout: milliseconds }).success;
  expect(listens(170_000)).toBe(true);
  expect(listens(lasts / 3)).toBe(false);
});

test("calls LINSTOR with the Lease taken first, and with what was there and when written down before the call", () => {
  const decision = decide(aLeaving());
  expect(decision).toMatchObject({ do: "call", command: { name: "evacuate a node", input: { node: "node-1" } } });
  const [first, second] = decision?.do === "call" ? (decision.writes ?? []) : [];
  expect(first).toMatchObject({ verb: "create", kind: Lease });
  const { annotations } = (second as { patch: { metadata: { annotations: Record<string, string> } } }).patch.metadata;
  const satellite = aSatellite({ metadata: { annotations } });
  expect(readRecord(satellite)).toMatchObject({ called: new Date(now).toISOString(), before: { "pvc-1": 2 } });
  expect(annotations[recordKey]).toBeDefined();
});

test("releases the Lease with LINSTOR's answer, because the node may be gone before the next look", () => {
  const decision = decide(aLeaving());
  const path = "/metadata/annotations/evacuate.holdfast.dev~1u1";
  const patch = [
    { op: "test", path, value: notedBy(decision)["evacuate.holdfast.dev/u1"] },
    { op: "remove", path },
  ];
  expect(decision).toMatchObject({ do: "call", answered: { kind: Lease, type: "json", patch } });
});

test("releases the Lease where the call is not made, unless an earlier release has taken it by its spec", () => {
  const decision = decide(aLeaving());
  expect(decision).toHaveProperty("unsent.0", decision?.do === "call" ? decision.answered : "absent");
  const data = dataFacts([aCopy("pvc-1", "node-1"), aCopy("pvc-1", "node-2")], { calledAt: now - 700_000 });
  const again = decide(aLeaving({ data }), lease(own, now - 10_000));
  expect(again?.do).toBe("call");
  expect(again).not.toHaveProperty("unsent");
});

test("puts back the note that was there where the call is not made, so that no look prolongs it", () => {
  const [key, former] = ["evacuate.holdfast.dev/u1", notedBy(decide(aLeaving()))["evacuate.holdfast.dev/u1"] ?? ""];
  const free = lease("", now);
  const held = { ...free, metadata: { ...free.metadata, annotations: { [key]: former } } };
  const decisionAt = (time: number) =>
    evacuate.decide({ lease: held, namespace: "holdfast", seen: [aLeaving()] }, time, settings)[0];
  const path = "/metadata/annotations/evacuate.holdfast.dev~1u1";
  const later = decisionAt(now + 10_000);
  const patch = [
    { op: "test", path, value: notedBy(later)[key] },
    { op: "replace", path, value: former },
  ];
  expect(notedBy(later)[key]).not.toBe(former);
  expect(later).toMatchObject({ do: "call", unsent: [{ kind: Lease, type: "json", patch }, {}] });
  // One that has run out does not come back.
  expect(decisionAt(now + 700_000)).toHaveProperty("unsent.0.patch.1", { op: "remove", path });
});

test("takes the record of a call back that is not made, so that the next one need not wait for it", () => {
  const satellite = aSatellite({ record: { tried: "before" } });
  const decision = decide(aLeaving({}, { satellite }));
  const written = (decision?.do === "call" && decision.writes?.[1]) as { patch: { metadata: { annotations: object } } };
  const path = "/metadata/annotations/holdfast.dev~1evacuation";
  const texts = [...Object.values(written.patch.metadata.annotations), satellite.metadata.annotations?.[recordKey]];
  expect(new Set(texts).size).toBe(2);
  const patch = [
    { op: "test", path: "/metadata/uid", value: "u1" },
    { op: "test", path, value: texts[0] },
    { op: "replace", path, value: texts[1] },
  ];
  expect(decision).toHaveProperty("unsent.1.patch", patch);
});

test("notes a call unlike any other run, also one of the same millisecond, so that it takes back its own note", () => {
  const notes = ["9", "10"].map((resourceVersion) => {
    const free = lease("", now);
    const decision = decide(aLeaving(), { ...free, metadata: { ...free.metadata, resourceVersion } });
    const [, written] = ((decision?.do === "call" && decision.writes) || []) as readonly { patch: LeaseObject }[];
    return [notedBy(decision)["evacuate.holdfast.dev/u1"], written?.patch.metadata.annotations?.[recordKey]];
  });
  expect(new Set(notes.flat()).size).toBe(4);
});

test.each<[string, "call" | "write", object]>([
  ["may still take effect", "write", {}],
  ["LINSTOR has answered", "call", { answered: true }],
])("after a call to restore the node that %s there is a %s", (_, expected, more) => {
  const note = { v: 1, uid: "u1", called: new Date(now - 60_000).toISOString(), calls: 1, ...more };
  const annotations = { ...aSatellite().metadata.annotations, [restorationKey]: JSON.stringify(note) };
  const decision = decide(aLeaving({}, { satellite: aSatellite({ metadata: { annotations } }) }));
  expect(decision?.do).toBe(expected);
  if (expected === "write") {
    const message = expect.stringMatching(/restore node-1.*until 2026-01-01T00:09:00.000Z/);
    expect(decision).toMatchObject({ step: { name: "waiting" }, message });
  }
});

test("keeps the count of before the first call when it calls again", () => {
  const called = new Date(now - 600_000).toISOString();
  const data = dataFacts([aCopy("pvc-1", "node-1"), aCopy("pvc-1", "node-2")], {
    node: aNode("node-1", { flags: ["EVACUATE"] }),
    before: { "pvc-1": 3, "pvc-2": 2 },
    calledAt: now - 600_000,
  });
  const decision = decide(aLeaving({ data }, { satellite: aSatellite({ record: { called } }) }));
  expect(decision?.do).toBe("call");
  expect(JSON.stringify(decision)).toContain(String.raw`\"before\":{\"pvc-1\":3,\"pvc-2\":2}`);
});

describe("the Lease", () => {
  test.each<[string, LeaseObject, "call" | "write"]>([
    ["is another's", lease("LinstorSatellite node-2 (u2)", now - 10_000), "write"],
    ["was another's, and has run out", lease("LinstorSatellite node-2 (u2)", now - 200_000), "call"],
    ["is ours by its spec, which does not say for which evacuation", lease(own, now - 10_000), "write"],
    ["is free", lease("", now), "call"],
  ])("%s", (_, held, expected) => expect(decide(aLeaving(), held)?.do).toBe(expected));

  test.each<["call" | "write", string, object]>([
    ["call", "the record of the same evacuation does not have it", {}],
    ["write", "the record that had it is lost, and another has begun", { begun: "2025-12-31T23:59:59Z" }],
  ])("is ours, and there is a %s where %s", (expected, _, record) => {
    const [key, note] = ["evacuate.holdfast.dev/u1", notedBy(decide(aLeaving()))["evacuate.holdfast.dev/u1"] ?? ""];
    const free = lease("", now);
    const held = { ...free, metadata: { ...free.metadata, annotations: { [key]: note } } };
    const decision = decide(aLeaving({}, { satellite: aSatellite({ record }) }), held);
    expect(decision?.do).toBe(expected);
    if (expected === "write")
      expect(decision?.message).toContain(
        "may still be carrying out the last call for this node, until 2026-01-01T00:10",
      );
  });

  test("says until when another has it, and what to do about one without an end", () => {
    const held = lease("LinstorSatellite node-2 (u2)", now - 10_000);
    expect(decide(aLeaving(), held)?.message).toContain("node-2 (u2) comes first, until 2026-01-01T00:02:50.000Z");
    const endless = { ...held, spec: { ...held.spec, renewTime: "now" } };
    expect(decide(aLeaving(), endless)?.message).toContain(" -n holdfast delete lease holdfast-linstor-evacuate");
  });

  test.each([
    ["at its own step still", []],
    ["at the next one", ["EVACUATE"]],
  ])("is given back when LINSTOR shows that it has answered that very call, %s", (_, flags) => {
    const called = new Date(now - 5_000).toISOString();
    const node = { ...aNode("node-1", { flags }), props: { "Aux/holdfast.dev/evacuate-answered": called } };
    const copies = [aCopy("pvc-1", "node-1"), aCopy("pvc-1", "node-3", "SyncTarget(9%)")];
    const seen = aLeaving({ data: dataFacts(copies, { node, calledAt: now - 5_000 }) });
    const given = { verb: "patch", kind: Lease, patch: { metadata: { resourceVersion: "9" } } };
    expect(decide(seen, lease(own, now - 5_000))).toMatchObject({ do: "write", writes: [given] });
    expect(decide(seen, lease(own, now - 5_000))).toHaveProperty("writes.0.patch.spec", { holderIdentity: "" });
    // Of an earlier call, of another node's, or run out already: nothing to give back.
    for (const held of [lease(own, now - 4_000), lease("LinstorSatellite node-2 (u2)", now - 5_000)])
      expect(JSON.stringify(decide(seen, held))).not.toContain(JSON.stringify({ holderIdentity: "" }));
  });

  test("is ours, and a call was written down with it: that call may still go on", () => {
    const data = dataFacts([aCopy("pvc-1", "node-1"), aCopy("pvc-1", "node-2")], { calledAt: now - 170_000 });
    expect(decide(aLeaving({ data }), lease(own, now - 170_000))).toMatchObject({
      do: "write",
      step: { name: "waiting" },
    });
  });

  test.each(["LinstorSatellite node-2 (u2)", own])("of a clock far ahead counts as taken now, for %s", (holder) => {
    const held = lease(holder, now + 86_400_000);
    const data = dataFacts([aCopy("pvc-1", "node-1"), aCopy("pvc-1", "node-2")], { calledAt: now + 86_400_000 });
    const decision = decide(aLeaving({ data }), held);
    expect(decision?.message).toContain("until 2026-01-01T00:03:00.000Z");
    const dated = { renewTime: "2026-01-01T00:00:00.000000Z", holderIdentity: holder, leaseDurationSeconds: 180 };
    expect(decision).toMatchObject({ do: "write", writes: expect.arrayContaining([takenBy(dated)]) });
    // A minute ahead is waited for as it stands.
    expect(JSON.stringify(decide(aLeaving({ data }), lease("another", now + 60_000)))).not.toContain("renewTime");
  });

  describe("in several LINSTORs", () => {
    /** node-1 in the LINSTOR of this address, whose nodes have these uuids. */
    const leavingIn = (controller: string | undefined, uuid: string, others: readonly string[] = []) => {
      const node = { ...aNode("node-1"), uuid };
      const nodes = [node, ...others.map((one, index) => ({ ...aNode(`node-${index + 2}`), uuid: one }))];
      return aLeaving({ data: dataFacts([], { node, nodes }) }, { controller });
    };
    const elsewhere = "http://other.example.com:3370";
    /** The Lease as the call for a satellite with this uid leaves it. */
    function noted(uid: string, at: string | undefined, node: string, takenAt = now - 10_000): LeaseObject {
      const satellite = aSatellite({ metadata: { name: "node-9", uid } });
      const seen = { ...leavingIn(at, node), satellite };
      const [decision] = evacuate.decide({ lease: undefined, namespace: "holdfast", seen: [seen] }, takenAt, settings);
      const [first] = (decision?.do === "call" && decision.writes) || [];
      const made = (first as unknown as { object: LeaseObject }).object;
      return { ...made, metadata: { ...made.metadata, uid: "l1", resourceVersion: "9" } };
    }

    test("a call that another LINSTOR has not answered keeps no call from this one", () => {
      const held = noted("u9", elsewhere, "theirs");
      const decision = decide(leavingIn(undefined, "ours"), held);
      expect(decision).toMatchObject({ do: "call" });
      expect(decision).toHaveProperty("writes.0.patch.metadata.resourceVersion", "9");
      // The other call stays noted, for the nodes of its own LINSTOR.
      expect(Object.keys(notedBy(decision))).toEqual(["evacuate.holdfast.dev/u1"]);
    });

    test.each<[string, LeaseObject, ReturnType<typeof leavingIn>]>([
      ["is this one", noted("u9", undefined, "theirs"), leavingIn(undefined, "ours")],
      ["lists the node at another address", noted("u9", elsewhere, "theirs"), leavingIn(undefined, "ours", ["theirs"])],
      ["may list it, because one has no uuid", noted("u9", elsewhere, "theirs"), aLeaving()],
    ])("a call in a LINSTOR that %s does", (_, held, seen) => {
      expect(decide(seen, held)?.do).toBe("write");
      expect(decide(seen, held)?.message).toContain("LinstorSatellite node-9 (u9) comes first, until");
    });

    test("a call that cannot be read keeps every call", () => {
      const held = noted("u9", elsewhere, "theirs");
      const damaged = { ...held, metadata: { ...held.metadata, annotations: { "evacuate.holdfast.dev/u9": "?" } } };
      // Only this note goes: the Lease has one for each call.
      expect(decide(leavingIn(undefined, "ours"), damaged)?.message).toContain(
        "kubectl -n holdfast annotate lease holdfast-linstor-evacuate evacuate.holdfast.dev/u9-",
      );
    });

    test("a call that a clock far ahead has noted is waited for from now on", () => {
      const held = noted("u9", undefined, "theirs", now + 86_400_000);
      const key = "evacuate.holdfast.dev/u9";
      const path = "/metadata/annotations/evacuate.holdfast.dev~1u9";
      const [before = "", after] = [held.metadata.annotations?.[key], expect.stringContaining("2026-01-01T00:00:00")];
      const patch = [
        { op: "test", path, value: before },
        { op: "replace", path, value: after },
      ];
      const decision = decide(leavingIn(undefined, "ours"), held);
      expect(decision?.message).toContain("until 2026-01-01T00:10:00.000Z");
      expect(decision).toMatchObject({
        do: "write",
        writes: expect.arrayContaining([expect.objectContaining({ patch })]),
      });
    });

    test("a call that has run out is forgotten with the next one", () => {
      const held = noted("u9", undefined, "theirs", now - 600_000);
      expect(notedBy(decide(leavingIn(undefined, "ours"), held))).toMatchObject({ "evacuate.holdfast.dev/u9": null });
    });

    test("is held for functions of a release that reads its spec alone", () =>
      expect(heldUntil(noted("u9", elsewhere, "theirs"), now)).toBe(now + 590_000));

    test("is given back for a call that LINSTOR shows to be answered, and for that alone", () => {
      const held = noted("u1", undefined, "ours", now - 5_000);
      const mine = JSON.parse(JSON.stringify(held).replaceAll("node-9", "node-1")) as LeaseObject;
      const props = { "Aux/holdfast.dev/evacuate-answered": new Date(now - 5_000).toISOString() };
      const node = { ...aNode("node-1", { flags: ["EVACUATE"] }), props };
      const seen = aLeaving({ data: dataFacts([], { node, calledAt: now - 5_000 }) });
      const path = "/metadata/annotations/evacuate.holdfast.dev~1u1";
      const value = mine.metadata.annotations?.["evacuate.holdfast.dev/u1"];
      const patch = [
        { op: "test", path, value },
        { op: "remove", path },
      ];
      expect(decide(seen, mine)).toMatchObject({ do: "write", writes: [{ kind: Lease, type: "json", patch }] });
    });
  });

  test("is never held by two: while another satellite has it, there is no call", () => {
    const elapsed = fc.integer({ min: 0, max: 179_000 });
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), elapsed, (holder, ago) => {
        fc.pre(holder !== own);
        expect(decide(aLeaving(), lease(holder, now - ago))?.do).not.toBe("call");
      }),
    );
  });
});

test.each([
  ["a source that is stale, and no good copy", dataFacts([aCopy("pvc-1", "node-1", "Outdated")]), "halting"],
  [
    "a node that is offline",
    dataFacts([aCopy("pvc-1", "node-1")], { node: aNode("node-1", { connection: "OFFLINE" }) }),
    "halting",
  ],
  [
    "a copy that is being made",
    dataFacts([aCopy("pvc-1", "node-1"), aCopy("pvc-1", "node-2", "SyncTarget(9%)")]),
    "waiting",
  ],
])("%s: no call", (_, data, step) =>
  expect(decide(aLeaving({ data }))).toMatchObject({ do: "write", step: { name: step } }),
);

test.each([
  ["is not leaving", aSeen({ leaving: false })],
  ["is at another step", aLeaving({ neighbours: [{ name: "node-2", deleting: false, configured: false }] })],
])("a satellite that %s is left", (_, seen) => expect(decide(seen)?.do).toBe("leave"));
