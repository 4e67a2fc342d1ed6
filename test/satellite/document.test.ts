import { describe, expect, onTestFinished, test } from "vitest";
import {
  DaemonSet,
  LinstorCluster,
  LinstorSatellite,
  LinstorSatelliteConfiguration,
  Machine,
} from "../../functions/satellite/lib/kinds.ts";
import { preDrainHook, preTerminateHook } from "../../functions/satellite/lib/machine.ts";
import { Node, PersistentVolume } from "../../shared/kubernetes/kind.ts";
import { administratorOf } from "./administrator.ts";
import { nodes, openSatelliteHarness, workloads } from "./harness.ts";
import { admin, harness, withHarness } from "./with-harness.ts";

const node = "node-1";
const both = [preDrainHook, preTerminateHook];

const open = (policy: string) => withHarness({ policy });

const has = (name: string) => harness.get(LinstorSatellite, name);
const appears = (name: string) => harness.until(`${name} has a satellite`, () => has(name));
const flagsOf = async (name: string) => (await admin.linstorNode(name)).flags ?? [];

describe("when satellites are created and deleted", () => {
  open("none");

  test.each([
    ["nodeSelector", { nodeSelector: { storage: "yes" } }],
    [
      "nodeAffinity",
      {
        nodeAffinity: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: "storage", operator: "NotIn", values: ["no"] }] }],
        },
      },
    ],
  ])("a Node whose label changes loses its satellite for want of a matching %s, and gets it back", async (_, spec) => {
    for (const name of nodes) await harness.merge(Node, name, { metadata: { labels: { storage: "yes" } } });
    await harness.merge(LinstorCluster, "linstorcluster", { spec });
    await harness.merge(Node, node, { metadata: { labels: { storage: "no" } } });
    await admin.gone(LinstorSatellite, node);
    expect(await has("node-2")).toBeDefined();
    await harness.merge(Node, node, { metadata: { labels: { storage: "yes" } } });
    await appears(node);
  });

  test("NoExecute deletes a satellite, a toleration brings it back, and its removal deletes it again", async () => {
    await admin.taint(node, "NoExecute");
    await admin.gone(LinstorSatellite, node);
    const tolerations = [{ key: "test", operator: "Exists", effect: "NoExecute" }];
    await harness.merge(LinstorCluster, "linstorcluster", { spec: { tolerations } });
    await appears(node);
    await harness.merge(LinstorCluster, "linstorcluster", { spec: { tolerations: null } });
    await admin.gone(LinstorSatellite, node);
  });

  test("PreferNoSchedule, a cordon, an unreachable Node and DRBD without quorum take no satellite away", async () => {
    const before = await Promise.all(nodes.map(has));
    const taints = {
      "node-1": { key: "test", effect: "PreferNoSchedule" },
      "node-2": { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" },
      "node-3": { key: "node.kubernetes.io/unreachable", effect: "NoExecute" },
      "node-4": { key: "drbd.linbit.com/lost-quorum", effect: "NoExecute" },
    };
    for (const [name, taint] of Object.entries(taints)) await harness.merge(Node, name, { spec: { taints: [taint] } });
    await harness.clock.advance(120_000);
    const after = await Promise.all(nodes.map(has));
    expect(after.map((one) => one?.metadata.uid)).toEqual(before.map((one) => one?.metadata.uid));
    expect(after.filter((one) => one?.metadata.deletionTimestamp)).toEqual([]);
  });

  test("Retain is the default: LINSTOR keeps the node, OFFLINE, and has it and its data again later", async () => {
    await harness.volume("pvc-1", [node]);
    const { uuid } = await admin.linstorNode(node);
    await admin.taint(node, "NoExecute");
    await admin.gone(LinstorSatellite, node);
    await harness.until("its DaemonSet is gone", async () => {
      return !(await harness.client.get(DaemonSet, workloads, `linstor-satellite.${node}`));
    });
    await harness.until("it is OFFLINE", async () => (await admin.linstorNode(node)).connection_status === "OFFLINE");
    expect(harness.linstor.hasCopy("pvc-1", node)).toBe(true);
    expect(harness.calls.evacuate).toEqual([]);
    await admin.untaint(node);
    await harness.until("it is ONLINE", async () => (await admin.linstorNode(node)).connection_status === "ONLINE");
    expect((await admin.linstorNode(node)).uuid).toBe(uuid);
    expect(harness.linstor.goodCopies("pvc-1")).toEqual([node]);
  });

  test("the policy of a configuration is that of the Nodes it selects, and of no others", async () => {
    await harness.volume("pvc-1", [node, "node-2"]);
    await admin.setPolicy(node, "Delete");
    for (const name of [node, "node-3"]) await admin.taint(name, "NoExecute");
    for (const name of [node, "node-3"]) await admin.gone(LinstorSatellite, name);
    expect([await admin.isListed(node), await admin.isListed("node-3")]).toEqual([false, true]);
  });
});

describe("policy Evacuate", () => {
  open("Evacuate");

  test("a satellite without volumes: LINSTOR is called, both hooks go, and nothing is waited for", async () => {
    await admin.hookedMachine(node);
    await harness.delete(Machine, "worker");
    await admin.gone(Machine, "worker");
    expect(harness.calls.evacuate).toEqual([node]);
    await admin.gone(LinstorSatellite, node);
  });

  test("of four volumes, local or not, attached or not, the attached are marked, and one overridden", async () => {
    await harness.volume("local-attached", [node, "node-2"], { attached: node, bound: true, localOnly: true });
    await harness.volume("remote-attached", [node, "node-2"], { attached: node });
    await harness.volume("local-at-rest", [node, "node-2"], { localOnly: true });
    await harness.volume("remote-at-rest", [node, "node-2"]);
    await admin.hookedMachine(node);
    await harness.delete(Machine, "worker");
    await admin.says(node, "SatelliteEvacuated", /schedulable on other nodes: local-attached\./);
    const [wait, since] = [
      `wait-for-reattach.evacuation.piraeus.io/${node}`,
      `wait-for-reattach-since.evacuation.piraeus.io/${node}`,
    ];
    const override = `override.piraeus.io/${node}`;
    expect(await admin.marks("local-attached", node)).toEqual([wait, since, override]);
    expect(await admin.marks("remote-attached", node)).toEqual([wait, since]);
    for (const name of ["local-at-rest", "remote-at-rest"]) expect(await admin.marks(name, node)).toEqual([]);
    expect(await flagsOf(node)).toEqual([]);
    expect(await admin.hooksOn("worker")).toEqual(both);
    await admin.gone(Machine, "worker");
  });

  test("at each wait the condition names what is waited for, and hooks and LINSTOR are as they must", async () => {
    for (const name of ["pvc-1", "pvc-2"]) await harness.volume(name, [node, "node-2"], { attached: node });
    await harness.volume("pvc-3", [node]);
    await admin.hookedMachine(node);
    // A satellite that is not ready, and no other Node that takes pods.
    const properties = [{ name: "Aux/x", valueFrom: { nodeFieldRef: "metadata" } }];
    await admin.configureOnly("node-3", { properties });
    await admin.says("node-3", "Configured", /metadata/);
    for (const name of nodes.slice(1)) await admin.cordon(name);
    await harness.delete(Machine, "worker");

    await admin.says(node, "SatelliteEvacuated", /to become ready: node-3\./);
    expect(await admin.hooksOn("worker")).toEqual(both);
    expect(await flagsOf(node)).toEqual([]);

    await harness.merge(LinstorSatellite, "node-3", { spec: { properties: null } });
    await harness.client.delete(LinstorSatelliteConfiguration, undefined, "only-node-3");
    await admin.says(node, "SatelliteEvacuated", /to reattach on other nodes: pvc-1, pvc-2\./);
    expect(await admin.hooksOn("worker")).toEqual([preTerminateHook]);
    expect(await flagsOf(node)).toEqual([]);

    for (const name of nodes.slice(1)) await admin.cordon(name, false);
    for (const type of ["SatelliteEvacuated", "EvacuationCompleted"])
      await admin.says(node, type, /^Waiting on remaining resources and snapshots: .*pvc-3/);
    expect(await harness.condition(node, "EvacuationCompleted")).toMatchObject({
      status: "False",
      reason: "InProgress",
    });
    expect(await admin.hooksOn("worker")).toEqual([preTerminateHook]);
    expect(await flagsOf(node)).toEqual(["EVACUATE"]);

    await admin.gone(Machine, "worker");
    await admin.gone(LinstorSatellite, node);
    expect(await admin.isListed(node)).toBe(false);
    for (const name of ["pvc-1", "pvc-2", "pvc-3"]) expect(await admin.marks(name, node)).toEqual([]);
  });

  test("a volume that is in use without a copy on another node gets its copy there", async () => {
    await harness.volume("pvc-1", [node], { attached: "node-3" });
    expect(harness.linstor.goodCopies("pvc-1")).toEqual([node]);
    await harness.delete(LinstorSatellite, node);
    await admin.replaced(node);
    expect(harness.linstor.goodCopies("pvc-1")).toEqual(["node-3"]);
  });

  test("a volume that is attached on the node while the evacuation goes on is marked and waited for, too", async () => {
    await harness.volume("pvc-1", [node, "node-2"], { attached: node });
    for (const name of nodes.slice(1)) await admin.cordon(name);
    await admin.cordon(node);
    await harness.delete(LinstorSatellite, node);
    await admin.says(node, "SatelliteEvacuated", /to reattach on other nodes: pvc-1\./);
    await harness.volume("late", [node, "node-3"], { attached: node });
    await admin.says(node, "SatelliteEvacuated", /to reattach on other nodes: late, pvc-1\./);
    await admin.cordon(node, false);
    for (const name of nodes.slice(1)) await admin.cordon(name, false);
    await admin.cordon(node);
    await admin.replaced(node);
    for (const name of ["late", "pvc-1"]) {
      expect(await admin.marks(name, node)).toEqual([]);
      expect(harness.linstor.goodCopies(name)).toHaveLength(2);
    }
  });
});

test("Delete gives up the last copy, too, and does not wait for an evacuation that is under way", async () => {
  // Unwatched, because the last copy is meant to go.
  const harness = await openSatelliteHarness();
  onTestFinished(() => harness.stop());
  const admin = administratorOf(harness);
  await harness.volume("pvc-1", [node]);
  await admin.taint(node, "NoExecute");
  await harness.until("LINSTOR copies", () => harness.calls.evacuate.length > 0);
  await harness.clock.advance(3_000);
  await harness.merge(LinstorSatellite, node, { spec: { deletionPolicy: "Delete" } });
  await admin.gone(LinstorSatellite, node);
  expect(await admin.isListed(node)).toBe(false);
  // It was cut short: 20 seconds are what a copy takes.
  expect(harness.linstor.goodCopies("pvc-1")).toEqual([]);
  expect(await harness.get(PersistentVolume, "pvc-1")).toBeDefined();
  expect(harness.failures).toEqual([]);
});
