import { describe, expect, test } from "vitest";
import { PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import type { LeaseObject } from "../../../shared/kubernetes/lease.ts";
import { LinstorCluster, LinstorSatellite, Machine, VolumeAttachment } from "../lib/kinds.ts";
import { machineKey } from "../lib/machine.ts";
import { recordKey } from "../lib/record.ts";
import { aLeaving, aMachine, aSatellite, aSeen, aVolume, hintOf, now, volumeFactsOf } from "../lib/testing/seen.ts";
import { mark } from "./rule.ts";

const settings = mark.settings.parse({});
const neighbour = aSatellite({ record: false, deleting: false, metadata: { name: "node-2", uid: "u2" } });
const unheld = {
  ...{ lease: undefined, namespace: "holdfast", groups: new Map<string, string>(), settings },
  satellites: [aSatellite({ record: false }), neighbour],
};
type Facts = Parameters<typeof mark.decide>[0];
const decide = (seen: Facts["seen"][number], more: Partial<Facts> = {}) =>
  mark.decide({ seen: [seen], ...unheld, ...more }, now, settings)[0];
const writes = (seen: Parameters<typeof decide>[0]) => {
  const decision = decide(seen);
  return decision?.do === "write"
    ? (JSON.parse(JSON.stringify(decision.writes)) as { name: string; patch: never }[])
    : [];
};
const unbegun = aSatellite({ record: false });
const clusterOf = (maxConcurrentEvacuations: number) => ({
  apiVersion: LinstorCluster.apiVersion,
  kind: LinstorCluster.kind,
  metadata: { name: "linstorcluster", uid: "c1", resourceVersion: "1" },
  spec: { maxConcurrentEvacuations },
});
/** The Lease of slots, taken by another satellite so many milliseconds after `now`. */
const leaseOf = (ahead: number): LeaseObject => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "holdfast-satellite-slots", uid: "l", resourceVersion: "1" },
  spec: {
    holderIdentity: "LinstorSatellite node-9",
    renewTime: new Date(now + ahead).toISOString(),
    leaseDurationSeconds: 60,
  },
});
/** One that has one slot, and is about to begin. */
const begins = () => aLeaving({}, { satellite: unbegun, cluster: clusterOf(1) });
const marksOf = (seen: Parameters<typeof decide>[0]) =>
  writes(seen).flatMap(({ name, patch }) =>
    name.startsWith("pv-") ? [[name, (patch as { metadata: { annotations: object } }).metadata.annotations]] : [],
  );

describe("where its LinstorCluster leads to another LINSTOR meanwhile", () => {
  const volumes = [volumeFactsOf("pv-1", { here: true })];
  test.each([
    ["begun", aSatellite()],
    ["not begun", unbegun],
  ])("an evacuation that has %s stops: neither a record nor a mark is written", (_, satellite) => {
    const facts = { is: "halted", message: "It was elsewhere." } as const;
    const seen = { ...aLeaving({ volumes }, { satellite }), facts };
    expect(decide(seen)).toMatchObject({ do: "write", step: { name: "halting" }, message: "It was elsewhere." });
    expect(writes(seen)).toMatchObject([{ patch: { status: { conditions: expect.anything() } } }]);
    expect(JSON.stringify(writes(seen))).toContain('"message":"It was elsewhere."');
  });
});

test("the beginning says in which LINSTOR the node is", () => {
  const note = { "holdfast.dev/linstor": "here" };
  const [first] = writes(aLeaving({ note }, { satellite: unbegun }));
  expect(first?.patch).toMatchObject({ metadata: { annotations: { ...note, [recordKey]: expect.anything() } } });
});

test("an evacuation that does not say in which LINSTOR its node is says so first, while that lists the node", () => {
  const note = { "holdfast.dev/linstor": "there" };
  expect(decide(aLeaving({ note }))).toMatchObject({
    do: "write",
    progress: "unchanged",
    writes: [{ patch: { metadata: { annotations: note } } }],
  });
});

describe("marks", () => {
  const eventsOf = (seen: Facts["seen"][number]) =>
    mark
      .decide({ seen: [seen], ...unheld }, now, settings)
      .flatMap((one) => (one.do === "record" ? `${one.event.reason} ${one.kind.kind} ${one.about.metadata.name}` : []));
  test.each([
    ["attachable anywhere", {}, { "wait-for-reattach.evacuation.piraeus.io/node-1": "true" }],
    ["usable where a copy is", { localOnly: true }, { "override.piraeus.io/node-1": "true" }],
    ["bound to the node", { attachableElsewhere: false }, { "override.piraeus.io/node-1": "true" }],
  ])("a volume that is attached there and %s", (_, more, annotation) => {
    const seen = aLeaving({ volumes: [volumeFactsOf("pv-1", { here: true, ...more }), volumeFactsOf("pv-2")] });
    expect(marksOf(seen)).toEqual([["pv-1", expect.objectContaining(annotation)]]);
  });

  test("are shown on the claim, or on a volume that nothing has claimed, by piraeus-operator's reasons", () => {
    const bound = volumeFactsOf("pv-1", { here: true, attachableElsewhere: false });
    const claimed = { ...aVolume("pv-1"), spec: { claimRef: { namespace: "default", name: "data", uid: "u-data" } } };
    const objects = new Map([claimed, aVolume("pv-2")].map((one) => [one.metadata.name, one]));
    const seen = aLeaving({ volumes: [bound, volumeFactsOf("pv-2", { here: true })], objects });
    expect(eventsOf(seen)).toEqual([
      "VolumeEvacuating PersistentVolumeClaim data",
      "VolumeTemporarilyMadeReschedulable PersistentVolumeClaim data",
      "VolumeEvacuating PersistentVolume pv-2",
    ]);
  });

  test.each([
    ["the wait was ended by a person", { waitsSince: now - 1000 }, ["VolumeTemporarilyMadeReschedulable"]],
    ["it is waited for already", { waits: true, waitsSince: now }, ["VolumeTemporarilyMadeReschedulable"]],
    ["it has its override already", { overridden: true }, ["VolumeEvacuating"]],
  ])("are shown as far as they are new: %s", (_, more, reasons) => {
    const seen = aLeaving({ volumes: [volumeFactsOf("pv-1", { here: true, localOnly: true, ...more })] });
    expect(eventsOf(seen)).toEqual(reasons.map((reason) => `${reason} PersistentVolume pv-1`));
  });

  test("nothing twice: a volume that has its marks is waited for", () => {
    const marked = volumeFactsOf("pv-1", { here: true, waits: true, overridden: true, attachableElsewhere: false });
    expect(decide(aLeaving({ volumes: [marked] }))).toMatchObject({ do: "write", step: { name: "waiting" } });
    expect(marksOf(aLeaving({ volumes: [marked] }))).toEqual([]);
  });

  test("no wait that a person has ended, which the time of its beginning shows", () => {
    const ended = volumeFactsOf("pv-1", { here: true, waitsSince: now - 1000, localOnly: true });
    expect(marksOf(aLeaving({ volumes: [ended] }))).toEqual([["pv-1", { "override.piraeus.io/node-1": "true" }]]);
    expect(marksOf(aLeaving({ volumes: [{ ...ended, localOnly: false }] }))).toEqual([]);
  });

  test("nothing for a Node whose name does not fit", () => {
    const node = "n".repeat(64);
    const seen = aLeaving({ node, volumes: [volumeFactsOf("pv-1", { here: true })] });
    expect(decide(seen)).toMatchObject({ step: { name: "name-too-long" }, message: expect.stringContaining("63") });
    expect(marksOf(seen)).toEqual([]);
  });
});

describe("the beginning", () => {
  test("is written down before anything else", () => {
    const [first] = writes(aLeaving({ volumes: [volumeFactsOf("pv-1", { here: true })] }, { satellite: unbegun }));
    expect(first).toMatchObject({
      name: "node-1",
      patch: { metadata: { annotations: { [recordKey]: expect.any(String) } } },
    });
  });

  test.each([
    [1, "queued"],
    [2, "acting"],
    [0, "acting"],
  ])("with %i slots and another one before it: %s", (slots, step) => {
    const begun = aSatellite({ metadata: { name: "node-2", uid: "u2" }, record: { uid: "u2" } });
    const cluster = clusterOf(slots);
    const decision = decide(aLeaving({}, { satellite: unbegun, cluster }), { satellites: [unbegun, begun] });
    expect(decision).toMatchObject({ step: { name: step } });
    // One that is stuck holds up all others, and people must find it.
    if (step === "queued") expect(decision?.message).toContain("Before it: node-2.");
  });
});

describe("while the Machine of a satellite that is being deleted has no hooks", () => {
  const machine = aMachine({ drain: false, terminate: false, deleting: false });
  const noted = (more: object) => {
    const text = JSON.stringify({ namespace: "capi", name: "worker", ...more });
    return aSatellite({ record: false, metadata: { annotations: { [machineKey]: text } } });
  };
  test.each([
    ["and nothing says that it cannot get them: it waits for them", noted({}), machine, "waiting"],
    ["and was found to have none while it was alive: it waits, too", noted({ hooks: "none" }), machine, "waiting"],
    ["because it is too late for them: it begins", noted({ deleting: true, hooks: "none" }), machine, "acting"],
    ["because it has no Machine: it begins", noted({}), undefined, "acting"],
  ])("%s", (_, satellite, machine, step) => {
    const seen = aLeaving({}, { satellite, ...(machine ? { machine } : {}) });
    expect(decide(seen)).toMatchObject({ step: { name: step } });
    expect(JSON.stringify(writes(seen)).includes(recordKey)).toBe(step === "acting");
    const isShown = JSON.stringify(writes(seen)).includes("Waiting until Machine capi/worker has Holdfast's hooks");
    expect(isShown).toBe(step === "waiting");
  });

  test("because it is let go without its policy: it begins", () => {
    const { facts, ...seen } = aLeaving({}, { satellite: noted({}), machine });
    const abandoned = { ...facts, is: "abandoned", message: "The whole cluster is being deleted." } as const;
    expect(decide({ ...seen, facts: abandoned })).toMatchObject({ step: { name: "acting" } });
    // One that is not being deleted still gets its hooks, or loses them with the whole cluster.
    const alive = { ...abandoned, satellite: { deleting: false, held: true } };
    expect(decide({ ...seen, facts: alive })).toMatchObject({ step: { name: "waiting" } });
  });
});

test.each<[string, false | object, string]>([
  ["begins at this moment", false, "queued"],
  ["has begun", { uid: "u9" }, "acting"],
])("while a satellite of another LinstorCluster has the Lease and %s: %s", (_, record, step) => {
  const other = aSatellite({ record, metadata: { name: "node-9", uid: "u9" } });
  const theirs = { ...other, spec: { ...other.spec, clusterRef: { name: "theirs" } } };
  const others = { lease: leaseOf(0), satellites: [unbegun, theirs] };
  expect(decide(begins(), others)).toMatchObject({ step: { name: step } });
});

test("a Lease of a clock far ahead counts as taken now, and is written as such", () => {
  const text = (ahead: number) => JSON.stringify(decide(begins(), { lease: leaseOf(ahead), satellites: [unbegun] }));
  expect(text(86_400_000)).toContain(`"renewTime":"${new Date(now).toISOString().replace("Z", "000Z")}"`);
  expect(text(60_000)).not.toContain("renewTime");
});

test("who begins has the Lease for functions whose clocks are a minute or two ahead, too", () => {
  const seen = begins();
  const [lease] = writes(seen) as unknown as { object: { metadata: object; spec: { holderIdentity: string } } }[];
  const { metadata, spec } = lease?.object ?? { metadata: {}, spec: { holderIdentity: "" } };
  expect(spec.holderIdentity).toBe("LinstorSatellite node-1");
  const held = {
    metadata: { ...metadata, uid: "l", resourceVersion: "1" },
    spec: { ...spec, holderIdentity: "LinstorSatellite node-9" },
  } as never;
  const stepAt = (ahead: number) =>
    mark
      .decide({ seen: [seen], ...unheld, lease: held }, now + ahead, settings)
      .map((one) => "step" in one && one.step?.name);
  expect([stepAt(0), stepAt(2 * 60_000), stepAt(10 * 60_000)]).toEqual([["queued"], ["queued"], ["acting"]]);
});

test.each([
  ["is not leaving", aSeen({ leaving: false })],
  ["is piraeus-operator's", aSeen({ unmanagedReason: "Another operator has it." })],
  ["is at another step", aLeaving()],
])("a satellite that %s is left", (_, seen) => expect(decide(seen)).toMatchObject({ do: "leave" }));

test.each([
  ["a satellite that is being deleted", hintOf(LinstorSatellite, "update", aSatellite()), ["node-1"]],
  ["one by name", hintOf(LinstorSatellite, "sweep", "node-1"), ["node-1"]],
  ["one that stays", hintOf(LinstorSatellite, "update", aSatellite({ deleting: false, record: false })), []],
  ["one that is gone", hintOf(LinstorSatellite, "delete", aSatellite()), []],
  ["a Machine that is being deleted", hintOf(Machine, "update", aMachine().object), ["node-1"]],
  ["one that is not", hintOf(Machine, "update", aMachine({ deleting: false }).object), []],
  ["a volume that was made again", hintOf(PersistentVolume, "add", aVolume("pv-1")), [undefined]],
  ["one that was changed", hintOf(PersistentVolume, "update", aVolume("pv-1")), []],
  ["an attachment whose object is not shown", hintOf(VolumeAttachment, "add", "csi-1"), [undefined]],
])("an event about %s", (_, hint, names) =>
  expect(mark.subjects(hint, settings).map(({ name }) => name)).toEqual(names),
);
