import { expect, test } from "vitest";
import { LinstorSatellite, Machine } from "../../functions/satellite/lib/kinds.ts";
import { GenericMachine } from "../../local/cluster-api/kinds.ts";
import { Node, PersistentVolume } from "../../shared/kubernetes/kind.ts";
import { addressOf } from "./harness.ts";
import { admin, harness, withHarness } from "./with-harness.ts";

// What piraeus-operator has no test for, or is known to do wrong.

const node = "node-1";

withHarness();

test("3: undone after LINSTOR was called: marks and hooks go, and every volume keeps its copies", async () => {
  await admin.hookedMachine(node);
  await harness.volume("pvc-1", [node, "node-2"], { attached: node, bound: true });
  await harness.delete(Machine, "worker");
  await harness.until("LINSTOR was called", () => harness.calls.evacuate.length > 0);
  expect(await admin.marks("pvc-1", node)).not.toEqual([]);
  await admin.setPolicy(node, "Retain");
  await harness.until("no mark is left", async () => (await admin.marks("pvc-1", node)).length === 0);
  await admin.gone(Machine, "worker");
  await admin.gone(LinstorSatellite, node);
  expect(await admin.isListed(node)).toBe(true);
  expect(harness.linstor.goodCopies("pvc-1").length).toBeGreaterThanOrEqual(2);
});

test("8: a Node whose name is too long for an annotation is refused while it can still be given another", async () => {
  const long = `${"a".repeat(40)}.${"b".repeat(23)}`;
  await harness.create(Node, { metadata: { name: long }, spec: { providerID: `generic:///${long}` } });
  await admin.says(long, "Available", /has 64 characters.*retained or deleted, not evacuated.*Use a shorter name/);
  await harness.machine("worker", long);
  await harness.clock.advance(60_000);
  expect(await admin.hooksOn("worker")).toEqual([]);
  expect(await admin.isListed(long)).toBe(false);
});

test("9: while others write volumes at the same time, marks come and go, and nothing of theirs is lost", async () => {
  const conflicts: string[] = [];
  let strangers = 0;
  harness.onWrite({
    // Another writer is always a moment earlier: the affinity controller, the CSI driver, a person.
    async before({ path }) {
      const name = /\/persistentvolumes\/([^/?]+)/.exec(path)?.[1];
      if (!name || conflicts.filter((one) => one === name).length >= 2) return;
      conflicts.push(name);
      await harness.merge(PersistentVolume, name, { metadata: { labels: { [`stranger-${++strangers}`]: "yes" } } });
    },
  });
  await harness.volume("pvc-1", [node, "node-2"], { attached: node, bound: true, localOnly: true });
  await harness.volume("pvc-2", [node, "node-3"], { attached: node });
  await admin.cordon(node);
  await harness.delete(LinstorSatellite, node);
  await admin.replaced(node);
  expect(conflicts.toSorted()).toEqual(["pvc-1", "pvc-1", "pvc-2", "pvc-2"]);
  for (const name of ["pvc-1", "pvc-2"]) {
    expect(await admin.marks(name, node)).toEqual([]);
    expect(harness.linstor.goodCopies(name)).toHaveLength(2);
  }
  const { labels = {} } = (await harness.get(PersistentVolume, "pvc-2"))?.metadata ?? {};
  expect(Object.keys(labels)).toHaveLength(2);
});

test("a volume is made again during the evacuation without its marks: they are put there again", async () => {
  await harness.volume("pvc-1", [node, "node-2"], { attached: node });
  await harness.delete(LinstorSatellite, node);
  await harness.until("it is marked", async () => (await admin.marks("pvc-1", node)).length > 0);
  const { spec, metadata } = (await harness.get(PersistentVolume, "pvc-1")) as never as {
    spec: object;
    metadata: object;
  };
  await harness.merge(PersistentVolume, "pvc-1", { metadata: { finalizers: null } });
  await harness.delete(PersistentVolume, "pvc-1");
  await harness.create(PersistentVolume, { metadata: { name: "pvc-1" }, spec });
  await harness.until("it is marked again", async () => (await admin.marks("pvc-1", node)).length > 0);
  expect((await harness.get(PersistentVolume, "pvc-1"))?.metadata).not.toMatchObject({
    uid: (metadata as { uid: string }).uid,
  });
  await admin.cordon(node);
  await admin.replaced(node);
  expect(await admin.marks("pvc-1", node)).toEqual([]);
});

test("a node that LINSTOR has evicted by itself is not called for, and the policy Delete is the way out", async () => {
  await harness.volume("pvc-1", [node, "node-2"]);
  harness.linstor.stopSatellite(addressOf(node));
  await harness.clock.advance(5_000);
  harness.linstor.evict(node);
  await admin.taint(node, "NoExecute");
  await admin.says(node, "SatelliteEvacuated", /^Error: LINSTOR has evicted the node node-1 by itself/);
  await harness.clock.advance(120_000);
  expect(harness.calls.evacuate).toEqual([]);
  await harness.merge(LinstorSatellite, node, { spec: { deletionPolicy: "Delete" } });
  await admin.gone(LinstorSatellite, node);
  expect(harness.linstor.goodCopies("pvc-1")).toEqual(["node-2"]);
});

test("a Machine whose Node never came is not held, and one that gets its Node late is hooked then", async () => {
  await harness.create(GenericMachine, { metadata: { name: "late" }, spec: {} });
  const spec = { clusterName: "test", providerID: "generic:///node-5", infrastructureRef: { name: "late" } };
  await harness.create(Machine, { metadata: { name: "late" }, spec });
  await harness.clock.advance(60_000);
  expect(await admin.hooksOn("late")).toEqual([]);
  await harness.create(Node, { metadata: { name: "node-5" }, spec: { providerID: "generic:///node-5" } });
  await admin.hooked("late");
  await harness.create(GenericMachine, { metadata: { name: "never" }, spec: {} });
  const never = { ...spec, providerID: "generic:///node-6", infrastructureRef: { name: "never" } };
  await harness.create(Machine, { metadata: { name: "never" }, spec: never });
  await harness.delete(Machine, "never");
  await admin.gone(Machine, "never");
});
