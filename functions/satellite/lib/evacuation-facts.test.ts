import { describe, expect, test } from "vitest";
import { seededRandom } from "../../../eventing/random.ts";
import { createLinstor } from "../../../local/linstor/linstor.ts";
import { outcomeOf } from "../../../local/time/testing/outcome-of.ts";
import { virtualClock } from "../../../local/time/testing/virtual-clock.ts";
import { ApiError } from "../../../shared/kubernetes/api-error.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { type Kind, Node, PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import { partly } from "../../../shared/look-at-each.ts";
import { readSettings } from "../../../shared/settings.ts";
import { atOneRoot } from "../../../shared/system/testing/at-one-root.ts";
import { findSatellites, lookAtEvacuation } from "./evacuation-facts.ts";
import { LinstorCluster, LinstorSatellite } from "./kinds.ts";
import { linstor as system } from "./linstor/system.ts";
import { recordKey } from "./record.ts";
import { abandonedBecause, satelliteFinalizer } from "./satellite.ts";
import { common } from "./satellite-rule.ts";
import { csiDriver } from "./volumes.ts";

const metadata = (name: string, more: object = {}) => ({ name, uid: `uid-${name}`, resourceVersion: "1", ...more });
const satellite = {
  metadata: metadata("node-1", { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [satelliteFinalizer] }),
  spec: { clusterRef: { name: "cluster" }, deletionPolicy: "Evacuate" },
};
const volume = (phase: string, name = "pvc-1") => ({
  metadata: metadata(name),
  spec: { csi: { driver: csiDriver, volumeHandle: name }, claimRef: { namespace: "shop", name: "data" } },
  status: { phase },
});

/** Looks at a satellite that is to be evacuated, beside a LINSTOR that lists these volumes, and nothing else. */
async function look(
  persistentVolumes: readonly object[],
  listed: readonly string[],
  others: readonly object[] = [],
  {
    deleting = false,
    record,
    ...spec
  }: { externalController?: { url: string }; deleting?: boolean; record?: string } = {},
) {
  const annotations = record ? { annotations: { [recordKey]: record } } : {};
  const clock = virtualClock();
  const standIn = createLinstor({ clock, random: seededRandom(1) });
  for (const name of listed) standIn.addVolume(name, { copies: [] });
  const objects = new Map<Kind, readonly object[]>([
    [LinstorSatellite, [{ ...satellite, metadata: { ...satellite.metadata, ...annotations } }, ...others]],
    [
      LinstorCluster,
      [{ metadata: metadata("cluster", deleting ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}), spec }],
    ],
    [Node, [{ metadata: metadata("node-1") }]],
    [PersistentVolume, persistentVolumes],
  ]);
  const client = {
    get: async (kind: Kind) => objects.get(kind)?.[0],
    async *list(kind: Kind) {
      yield* objects.get(kind) ?? [];
    },
  } as unknown as Client;
  const linstor = system.connect({
    ...atOneRoot(standIn.transport),
    clock,
    settings: readSettings(system.settings, { LINSTOR_ALLOW_HTTP: "in-cluster" }),
    credential: async () => undefined,
  });
  const settings = common.parse({});
  const view = { client, linstor, settings };
  const looked = async () => {
    const [one] = await findSatellites({ kind: LinstorSatellite, name: "node-1" }, view);
    return one ? lookAtEvacuation(one, view) : undefined;
  };
  return outcomeOf(clock, looked(), 60_000);
}

test("a LINSTOR that lists none of the cluster's volumes is not believed about the node either", async () => {
  expect(await look([volume("Bound")], [])).toMatchObject({
    is: "halted",
    message: expect.stringMatching(/lists none of the volumes of this cluster \(pvc-1\)/),
    advice: expect.stringMatching(/LINSTOR_URL.*Delete PersistentVolumes.*\.$/),
  });
  expect(await look([volume("Bound")], ["pvc-9"])).toMatchObject({ is: "halted" });
});

test("one that lists them is, and so is any where there are none that a claim uses", async () => {
  expect(await look([volume("Bound")], ["PVC-1"])).toMatchObject({ is: "ready", node: "node-1" });
  expect(await look([volume("Released")], [])).toMatchObject({ is: "ready", node: "node-1" });
  expect(await look([], [])).toMatchObject({ is: "ready", node: "node-1" });
});

describe("one that lists some of them", () => {
  const [one, two] = [volume("Bound"), volume("Bound", "pvc-2")];
  const elsewhere = { metadata: metadata("node-9"), spec: { ...satellite.spec, clusterRef: { name: "other" } } };
  const missing = /does not list pvc-2, of which this cluster has PersistentVolumes/;

  test("is not believed either, unless what it does not list is on its way out", async () => {
    const halted = { is: "halted", message: expect.stringMatching(missing) };
    expect(await look([one, two], ["pvc-1"])).toMatchObject(halted);
    expect(await look([one, volume("Released", "pvc-2")], ["pvc-1"])).toMatchObject({ is: "ready" });
    const { claimRef: _, ...spec } = two.spec;
    expect(await look([one, { ...two, spec }], ["pvc-1"])).toMatchObject({ is: "ready" });
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    const deleted = { ...two, metadata: metadata("pvc-2", { deletionTimestamp }) };
    expect(await look([one, deleted], ["pvc-1"])).toMatchObject({ is: "ready" });
  });

  test("is believed where another LINSTOR may have the others, but not of what was on the node before", async () => {
    expect(await look([one, two], ["pvc-1"], [elsewhere])).toMatchObject({ is: "ready" });
    const before = { v: 1, uid: "uid-node-1", begun: "2026-01-01T00:00:00Z", called: "2026-01-01T00:00:00Z" };
    const text = (...names: string[]) =>
      JSON.stringify({ ...before, before: Object.fromEntries(names.map((name) => [name, 1])) });
    const recorded = (record: string) => look([one, two], ["pvc-1"], [elsewhere], { record });
    expect(await recorded(text("pvc-9"))).toMatchObject({ is: "ready" });
    expect(await recorded(text("PVC-2"))).toMatchObject({ is: "halted", message: expect.stringMatching(missing) });
  });
});

test("a damaged record is said of a node that LINSTOR does not list, too", async () => {
  const text = (before: object) =>
    JSON.stringify({
      v: 1,
      uid: "uid-node-1",
      begun: "2026-01-01T00:00:00Z",
      called: "2026-01-01T00:00:00Z",
      before: { "pvc-1": before },
    });
  const recorded = (record: string) => look([], ["pvc-1"], [], { record });
  const halted = { is: "halted", message: expect.stringContaining("is damaged (before)") };
  expect(await recorded(text({ good: 1 }))).toMatchObject(halted);
});

test("satellites of another LinstorCluster are not waited for", async () => {
  const elsewhere = { ...satellite.spec, clusterRef: { name: "other" } };
  const deletionTimestamp = "2025-01-01T00:00:00Z";
  const others = [
    { metadata: metadata("node-2", { deletionTimestamp }), spec: elsewhere },
    { metadata: metadata("node-3", { deletionTimestamp }), spec: satellite.spec },
    { metadata: metadata("node-4"), spec: elsewhere },
  ];
  const seen = await look([], [], others);
  expect(seen).toMatchObject({ neighbours: [{ name: "node-3" }] });
});

test("one whose LINSTOR has no address is left alone, unless it is let go without LINSTOR", async () => {
  const externalController = { url: "no address" };
  const outside = { is: "outside", message: expect.stringContaining("no address of a LINSTOR"), undecided: true };
  expect(await look([], [], [], { externalController })).toEqual(outside);
  const abandoned = { is: "abandoned", message: expect.stringContaining("being deleted") };
  expect(await look([], [], [], { externalController, deleting: true })).toMatchObject(abandoned);
});

test("a satellite that waits for its own evacuation is not waited for: no rule configures it any more", async () => {
  const queued = { v: 1, uid: "uid-node-2", step: "queued", since: "2026-01-01T00:00:00Z", because: "Waiting." };
  const annotations = { "holdfast.dev/satellite.mark": JSON.stringify(queued) };
  const others = [
    { metadata: metadata("node-2", { annotations }), spec: satellite.spec },
    { metadata: metadata("node-3"), spec: satellite.spec },
  ];
  expect(await look([], [], others)).toMatchObject({
    neighbours: [
      { name: "node-2", deleting: true, configured: false },
      { name: "node-3", deleting: false, configured: false },
    ],
  });
});

test.each<[string, object | undefined, RegExp | undefined]>([
  ["is its owner", { name: "cluster", uid: "uid-cluster" }, undefined],
  ["has come in the place of its owner", { name: "cluster", uid: "uid-former" }, /was replaced/],
  // An owner that is known by no other sign does not show that it belongs to another one.
  ["is not its owner, which has another name", { name: "other", uid: "uid-other" }, undefined],
  ["owns none", undefined, undefined],
])("a satellite that is deleted is let go without LINSTOR where a LinstorCluster %s, or not", (_, owner, message) => {
  const ownerReferences = owner
    ? [{ apiVersion: "piraeus.io/v1", kind: "LinstorCluster", controller: true, ...owner }]
    : [];
  const one = { ...satellite, metadata: { ...satellite.metadata, ownerReferences } } as never;
  const said = abandonedBecause({ satellite: one, cluster: { metadata: metadata("cluster") } as never });
  if (message) expect(said).toMatch(message);
  else expect(said).toBeUndefined();
});

test("a satellite that the API server does not serve is not found, and keeps no other from being found", async () => {
  const error = new ApiError("GET", { status: 500, reason: "InternalError", message: "a fault" });
  const named = (name: string) => ({ ...satellite, metadata: { ...satellite.metadata, name } });
  const client = {
    async *list() {
      yield* ["node-1", "node-2"].map(named);
    },
    async get(kind: Kind, _namespace: string | undefined, name: string) {
      if (kind !== LinstorSatellite) return undefined;
      if (name === "node-1") throw error;
      return named(name);
    },
  } as unknown as Client;
  const find = () => findSatellites({ kind: LinstorSatellite }, { client, settings: common.parse({}) });
  const { facts, failures } = await partly(find);
  expect(facts.map(({ object }) => object.metadata.name)).toEqual(["node-2"]);
  expect(failures).toEqual([{ object: { kind: LinstorSatellite, name: "node-1" }, error }]);
});
