import { expect, test } from "vitest";
import { LinstorCluster, LinstorSatellite, Machine } from "../../functions/satellite/lib/kinds.ts";
import { recordKey } from "../../functions/satellite/lib/record.ts";
import type { LinstorSatelliteObject } from "../../functions/satellite/lib/satellite.ts";
import { Node } from "../../shared/kubernetes/kind.ts";
import { controlPlane } from "./administrator.ts";
import { admin, harness, withHarness } from "./with-harness.ts";

withHarness();

test.each([
  ["that share no volume", ["node-1", "node-3"], ["node-2", "node-4"]],
  ["that have both copies of one volume", ["node-1", "node-2"], ["node-1", "node-2"]],
])("two nodes %s are called for one after the other, the second as soon as it is safe", async (_, first, second) => {
  await harness.volume("pvc-1", first);
  await harness.volume("pvc-2", second);
  const taints = [{ key: "test", value: "yes", effect: "NoExecute" }];
  const leaving = ["node-1", "node-2"];
  for (const name of leaving) await harness.merge(Node, name, { spec: { taints } });
  await harness.until("LINSTOR is called for one", () => harness.calls.evacuate.length === 1);
  const called = harness.clock.now();
  await harness.until("LINSTOR is called for the other", () => harness.calls.evacuate.length === 2);
  // A copy takes 20 seconds, and functions look again after 10.
  expect(harness.clock.now() - called).toBeLessThanOrEqual(60_000);
  for (const name of leaving)
    await harness.until(`${name} is gone`, async () => !(await harness.get(LinstorSatellite, name)));
  expect(harness.calls.atOnce).toBe(1);
  expect(harness.calls.evacuate.toSorted()).toEqual(leaving);
  for (const volume of ["pvc-1", "pvc-2"])
    expect(harness.linstor.goodCopies(volume).toSorted()).toEqual(["node-3", "node-4"]);
});

test("of two Machines that are deleted together, with one slot, the second is evacuated after the first", async () => {
  await harness.merge(LinstorCluster, "linstorcluster", { spec: { maxConcurrentEvacuations: 1 } });
  await harness.machine("control", "node-4", controlPlane);
  const leaving = ["node-1", "node-2"];
  for (const name of leaving) {
    await harness.machine(`worker-${name}`, name);
    await admin.hooked(`worker-${name}`);
  }
  await harness.volume("pvc-1", ["node-1", "node-3"]);
  await harness.volume("pvc-2", ["node-2", "node-3"]);
  await Promise.all(leaving.map((name) => harness.delete(Machine, `worker-${name}`)));
  let most = 0;
  await harness.until("both Machines are gone", async () => {
    const satellites = await Promise.all(
      leaving.map((name) => harness.get<LinstorSatelliteObject>(LinstorSatellite, name)),
    );
    const begun = satellites.filter((one) => one?.metadata.annotations?.[recordKey]);
    const isCompleted = (one?: LinstorSatelliteObject) =>
      one?.status?.conditions?.some(({ type, status }) => type === "SatelliteEvacuated" && status === "True");
    most = Math.max(most, begun.filter((one) => !isCompleted(one)).length);
    const machines = await Promise.all(leaving.map((name) => harness.get(Machine, `worker-${name}`)));
    return machines.every((one) => one === undefined);
  });
  expect(most).toBe(1);
});

test("a satellite that cannot begin before a person acts keeps no other from the slot", async () => {
  await harness.merge(LinstorCluster, "linstorcluster", { spec: { maxConcurrentEvacuations: 1 } });
  await harness.volume("pvc-1", ["node-1", "node-4"]);
  const delete_props = ["Aux/piraeus.io/managed-by", "Aux/piraeus.io/last-applied"];
  await admin.ask("PUT", "/v1/nodes/node-2", { delete_props });
  await harness.delete(LinstorSatellite, "node-2");
  await admin.says("node-2", "SatelliteEvacuated", /^Error: LINSTOR has a node node-2, and nothing says/);
  await harness.clock.advance(10_000);
  await harness.delete(LinstorSatellite, "node-1");
  await harness.until("LINSTOR was called", () => harness.calls.evacuate.length > 0);
  expect(harness.calls.evacuate).toEqual(["node-1"]);
});

test("an evacuation that is completed keeps no other from the slot while its Machine is held by others", async () => {
  await harness.merge(LinstorCluster, "linstorcluster", { spec: { maxConcurrentEvacuations: 1 } });
  await admin.hookedMachine("node-1");
  const other = "pre-terminate.delete.hook.machine.cluster.x-k8s.io/other";
  await harness.merge(Machine, "worker", { metadata: { annotations: { [other]: "" } } });
  await harness.volume("pvc-1", ["node-1", "node-2"]);
  await harness.delete(Machine, "worker");
  await admin.says("node-1", "SatelliteEvacuated", /^Waiting for Cluster API to delete the Node/);
  await admin.taint("node-3", "NoExecute");
  await admin.gone(LinstorSatellite, "node-3");
  expect(await harness.get(Machine, "worker")).toBeDefined();
  await harness.merge(Machine, "worker", { metadata: { annotations: { [other]: null } } });
  await admin.gone(Machine, "worker");
});

test("a satellite whose Machine cannot be hooked yet says so, and keeps no other from the slot", async () => {
  await harness.merge(LinstorCluster, "linstorcluster", { spec: { maxConcurrentEvacuations: 1 } });
  await harness.machine("control", "node-4", controlPlane);
  harness.cutOff(/\/machines\/worker/, "read-only");
  const other = "pre-drain.delete.hook.machine.cluster.x-k8s.io/other";
  await harness.machine("worker", "node-1", { annotations: { [other]: "" } });
  await harness.delete(Machine, "worker");
  await admin.says("node-1", "SatelliteEvacuated", /^Waiting until Machine capi\/worker has Holdfast's hooks/);
  await admin.taint("node-2", "NoExecute");
  await admin.gone(LinstorSatellite, "node-2");
  expect(harness.calls.evacuate).toEqual(["node-2"]);
  harness.cutOff();
  await admin.hooked("worker");
  await harness.merge(Machine, "worker", { metadata: { annotations: { [other]: null } } });
  await admin.gone(Machine, "worker");
  expect(harness.calls.evacuate).toEqual(["node-2", "node-1"]);
});

test("what LINSTOR cannot place is called for again when a node can take it, and hardly before", async () => {
  for (const name of ["node-2", "node-3", "node-4"])
    await admin.ask("PUT", `/v1/nodes/${name}`, { override_props: { AutoplaceTarget: "no" } });
  await harness.volume("pvc-1", ["node-1", "node-2"]);
  await admin.taint("node-1", "NoExecute");
  await admin.says("node-1", "SatelliteEvacuated", /LINSTOR has not moved pvc-1.*no available storage pool/);
  await harness.clock.advance(25 * 60_000);
  expect(harness.calls.evacuate).toEqual(["node-1"]);
  await admin.ask("PUT", "/v1/nodes/node-3", { override_props: { AutoplaceTarget: "yes" } });
  const allowed = harness.clock.now();
  await admin.gone(LinstorSatellite, "node-1");
  expect(harness.clock.now() - allowed).toBeLessThan(2 * 60_000);
  expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(2);
});
