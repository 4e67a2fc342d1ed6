import { describe, expect, test } from "vitest";
import { Cluster, LinstorCluster, LinstorSatellite, Machine } from "../../functions/satellite/lib/kinds.ts";
import { handedOverKey, type LinstorClusterObject } from "../../functions/satellite/lib/satellite.ts";
import { marksOn } from "../../functions/satellite/lib/volumes.ts";
import { Node, PersistentVolume } from "../../shared/kubernetes/kind.ts";
import { type Explained, proveExplanations } from "../scenarios/explainer.ts";
import { proveWritesAreMade } from "../scenarios/rights.ts";
import { addressOf, nodes } from "./harness.ts";
import { admin, harness, withHarness } from "./with-harness.ts";
import { writesMade } from "./writes-made.ts";

const node = "node-1";

const seen: Explained[] = [];
const asked = withHarness({}, seen);

describe("policy Evacuate", () => {
  test("with a Machine: all nine steps, from its deletion to the last finalizer", async () => {
    await admin.hookedMachine(node);
    await harness.volume("pvc-1", [node, "node-2"], { attached: node });
    await harness.volume("pvc-2", [node, "node-2"], { attached: node, bound: true });
    await harness.volume("pvc-3", [node]);
    await harness.delete(Machine, "worker");
    await admin.gone(Machine, "worker");
    await admin.gone(Node, node);
    await admin.gone(LinstorSatellite, node);
    expect(await admin.isListed(node)).toBe(false);
    for (const name of ["pvc-1", "pvc-2", "pvc-3"]) {
      const volume = await harness.get(PersistentVolume, name);
      expect(marksOn(volume?.metadata.annotations, node)).toEqual([]);
      expect(harness.linstor.goodCopies(name)).toHaveLength(name === "pvc-3" ? 1 : 2);
    }
    expect(harness.calls).toEqual({ evacuate: [node], atOnce: 1 });
    expect(nodes.slice(1)).toEqual(expect.arrayContaining([...harness.linstor.goodCopies("pvc-3")]));
  });
});

describe("policies Retain and Delete", () => {
  test("Delete: waits while the satellite is connected, and gives up everything once it is not", async () => {
    await admin.setPolicy(node, "Delete");
    await harness.volume("pvc-1", [node, "node-2"]);
    await admin.taint(node, "NoExecute");
    await admin.says(node, "SatelliteDeleted", /is not OFFLINE in LINSTOR/);
    expect(await admin.isListed(node)).toBe(true);
    harness.linstor.stopSatellite(addressOf(node));
    await admin.gone(LinstorSatellite, node);
    expect(await admin.isListed(node)).toBe(false);
    expect(harness.linstor.goodCopies("pvc-1")).toEqual(["node-2"]);
  });

  test("Retain takes hooks off again that Evacuate had put there", async () => {
    await harness.machine("worker", node);
    await admin.hooked("worker");
    await admin.setPolicy(node, "Retain");
    await harness.until("the hooks are gone", async () => (await admin.hooksOn("worker")).length === 0);
  });
});

describe("admission and retirement", () => {
  test(
    "an untolerated NoSchedule keeps a satellite that there is, " + "and keeps a deleted one from coming back",
    async () => {
      await admin.setPolicy(node, "Retain");
      await admin.taint(node, "NoSchedule");
      await harness.clock.advance(60_000);
      expect((await harness.get(LinstorSatellite, node))?.metadata.deletionTimestamp).toBeUndefined();
      await harness.delete(LinstorSatellite, node);
      await admin.gone(LinstorSatellite, node);
      await harness.clock.advance(60_000);
      expect(await harness.get(LinstorSatellite, node)).toBeUndefined();
      await harness.merge(Node, node, { spec: { taints: null } });
      await harness.until("it is there again", () => harness.get(LinstorSatellite, node));
    },
  );

  test.each(["nodeSelector", "nodeAffinity"])("a changed %s deletes what no longer matches", async (field) => {
    for (const name of nodes) await admin.setPolicy(name, "Retain");
    await harness.merge(Node, "node-2", { metadata: { labels: { storage: "yes" } } });
    const affinity = { nodeSelectorTerms: [{ matchExpressions: [{ key: "storage", operator: "Exists" }] }] };
    const spec = field === "nodeSelector" ? { nodeSelector: { storage: "yes" } } : { nodeAffinity: affinity };
    await harness.merge(LinstorCluster, "linstorcluster", { spec });
    for (const name of ["node-1", "node-3", "node-4"]) await admin.gone(LinstorSatellite, name);
    expect((await harness.get(LinstorSatellite, "node-2"))?.metadata.deletionTimestamp).toBeUndefined();
  });
});

describe("bad cases", () => {
  test("1: the Node is gone before the end: the Machine was written down, and is released", async () => {
    await admin.hookedMachine(node);
    await harness.volume("pvc-1", [node, "node-2"]);
    await harness.delete(Machine, "worker");
    await harness.delete(Node, node);
    await admin.gone(Machine, "worker");
    await admin.gone(LinstorSatellite, node);
    expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(2);
    expect(harness.linstor.goodCopies("pvc-1")).not.toContain(node);
  });

  test("2: a person removes the node from LINSTOR mid-way: marks and hooks are cleaned all the same", async () => {
    await admin.hookedMachine(node);
    await harness.volume("pvc-1", [node, "node-2"], { attached: node });
    await harness.delete(Machine, "worker");
    await harness.until("it is marked", async () => (await admin.marks("pvc-1", node)).length > 0);
    harness.linstor.stopSatellite(addressOf(node));
    await harness.clock.advance(5_000);
    await admin.ask("DELETE", `/v1/nodes/${node}/lost`);
    await admin.gone(Machine, "worker");
    await admin.gone(LinstorSatellite, node);
    expect(await admin.marks("pvc-1", node)).toEqual([]);
  });

  test("3: the policy is changed mid-way: marks and hooks go", async () => {
    await admin.hookedMachine(node);
    await harness.volume("pvc-1", [node, "node-2"], { attached: node, localOnly: true });
    await harness.delete(Machine, "worker");
    await harness.until("it is marked", async () => (await admin.marks("pvc-1", node)).length > 0);
    await admin.setPolicy(node, "Retain");
    await harness.until("no mark is left", async () => (await admin.marks("pvc-1", node)).length === 0);
    await admin.gone(Machine, "worker");
  });

  test("3: a satellite that LINSTOR evacuates though nothing leaves is restored", async () => {
    await admin.ask("PUT", `/v1/nodes/${node}/evacuate`);
    await harness.merge(LinstorSatellite, node, { metadata: { annotations: { "holdfast.dev/evacuation": "{}" } } });
    await harness.until("it is restored", async () => !(await admin.linstorNode(node)).flags?.includes("EVACUATE"));
  });

  test("3: a satellite that is made again in the middle, after Retain, is restored by itself", async () => {
    await harness.volume("pvc-1", [node, "node-2"]);
    await harness.delete(LinstorSatellite, node);
    await harness.until("LINSTOR was called", () => harness.calls.evacuate.length > 0);
    await admin.setPolicy(node, "Retain");
    await harness.until("it was made again", async () => {
      const live = await harness.get(LinstorSatellite, node);
      return live && !live.metadata.deletionTimestamp;
    });
    const made = harness.clock.now();
    await harness.until("it is restored", async () => !(await admin.linstorNode(node)).flags?.includes("EVACUATE"));
    expect(harness.clock.now() - made).toBeLessThan(120_000);
  });

  test("4: an offline satellite is named, and the policy Delete is the way out", async () => {
    await harness.volume("pvc-1", [node, "node-2"]);
    harness.linstor.stopSatellite(addressOf(node));
    await harness.clock.advance(5_000);
    await harness.delete(LinstorSatellite, node);
    await admin.says(node, "SatelliteEvacuated", /is OFFLINE in LINSTOR/);
    await harness.clock.advance(300_000);
    expect(harness.calls.evacuate).toEqual([]);
    await admin.taint(node, "NoExecute");
    // Its Node is not to have a satellite any more, so that configurations do not reach it.
    await harness.merge(LinstorSatellite, node, { spec: { deletionPolicy: "Delete" } });
    await admin.gone(LinstorSatellite, node);
    expect(harness.linstor.goodCopies("pvc-1")).toEqual(["node-2"]);
  });

  test("4: the policy Delete in a configuration for the Node, as the message says, ends it", async () => {
    await harness.volume("pvc-1", [node, "node-2"]);
    harness.linstor.stopSatellite(addressOf(node));
    await harness.clock.advance(5_000);
    await harness.delete(LinstorSatellite, node);
    await admin.says(node, "SatelliteEvacuated", /Delete in a LinstorSatelliteConfiguration for its Node/);
    const replaced = admin.replaced(node);
    await admin.setPolicy(node, "Delete");
    await replaced;
    expect(harness.linstor.goodCopies("pvc-1")).toEqual(["node-2"]);
  });

  test("6: an unrelated satellite that is not ready is named, and waited for half an hour at most", async () => {
    await harness.volume("pvc-1", [node, "node-2"]);
    // Of the Node's metadata as a whole no property can be made.
    const properties = [{ name: "Aux/x", valueFrom: { nodeFieldRef: "metadata" } }];
    await admin.configureOnly("node-3", { properties });
    await admin.is("node-3", "Configured", "False");
    await harness.delete(LinstorSatellite, node);
    await admin.says(node, "SatelliteEvacuated", /to become ready: node-3/);
    await harness.clock.advance(20 * 60_000);
    expect(harness.calls.evacuate).toEqual([]);
    await admin.replaced(node);
    expect(harness.history.join()).toContain("goes on although LinstorSatellites are not ready: node-3");
  });

  test("the whole cluster is deleted: the hooks are released, and LINSTOR is not asked", async () => {
    await admin.hookedMachine(node);
    await harness.merge(Cluster, "test", { metadata: { finalizers: ["test.holdfast.dev/hold"] } });
    await harness.delete(Cluster, "test");
    await harness.delete(LinstorSatellite, node);
    await admin.replaced(node);
    await harness.delete(Machine, "worker");
    await admin.gone(Machine, "worker");
    expect(harness.calls.evacuate).toEqual([]);
  });

  test.each(["Evacuate", "Delete"])(
    "with the LinstorCluster and LINSTOR gone, policy %s: it is let go",
    async (policy) => {
      await harness.machine("worker", node);
      await admin.hooked("worker");
      await admin.setPolicy(node, policy);
      harness.linstor.stopController();
      await harness.delete(LinstorCluster, "linstorcluster");
      await harness.delete(LinstorSatellite, node);
      await admin.gone(LinstorSatellite, node);
      expect(await admin.hooksOn("worker")).toEqual([]);
      expect(harness.calls.evacuate).toEqual([]);
    },
  );

  // As where satellites of piraeus-operator, which block their owner's deletion, are deleted from the outside in.
  test.each(["Evacuate", "Delete"])(
    "with the LinstorCluster going, and held until its satellites are gone, policy %s: it is let go with its data",
    async (policy) => {
      await harness.volume("pvc-1", [node]);
      await admin.setPolicy(node, policy);
      await harness.merge(LinstorCluster, "linstorcluster", { metadata: { finalizers: ["test.holdfast.dev/hold"] } });
      await harness.delete(LinstorCluster, "linstorcluster");
      for (const name of nodes) await harness.delete(LinstorSatellite, name);
      for (const name of nodes) await admin.gone(LinstorSatellite, name);
      expect(await admin.isListed(node)).toBe(true);
      expect(harness.linstor.goodCopies("pvc-1")).toEqual([node]);
      expect(harness.calls.evacuate).toEqual([]);
    },
  );

  // As kubectl replace --force does, or Argo CD with Replace and Force: garbage collection deletes what it owned.
  test.each(["Evacuate", "Delete"])(
    "with the LinstorCluster replaced by one of its name, policy %s: satellites go with their data, and are made again",
    async (policy) => {
      await harness.volume("pvc-1", [node]);
      await admin.setPolicy(node, policy);
      const replaced = admin.replaced(node);
      const { spec } = (await harness.get<LinstorClusterObject>(LinstorCluster, "linstorcluster")) ?? {};
      await harness.delete(LinstorCluster, "linstorcluster");
      await harness.create(LinstorCluster, { metadata: { name: "linstorcluster" }, spec });
      await replaced;
      await harness.clock.advance(600_000);
      expect(await admin.isListed(node)).toBe(true);
      expect(harness.linstor.goodCopies("pvc-1")).toEqual([node]);
      expect(harness.calls.evacuate).toEqual([]);
    },
  );

  test("as many as there are slots are evacuated at a time, and the others say where they stand", async () => {
    await harness.merge(LinstorCluster, "linstorcluster", { spec: { maxConcurrentEvacuations: 1 } });
    await harness.volume("pvc-1", [node, "node-3"]);
    await harness.volume("pvc-2", ["node-2", "node-4"]);
    for (const name of [node, "node-2"]) await admin.taint(name, "NoExecute");
    await harness.until("one of them waits", async () => {
      const reports = await Promise.all([node, "node-2"].map((name) => harness.condition(name, "SatelliteEvacuated")));
      return reports.some((one) => one?.reason === "Waiting" && one.message.includes("position 2 of 2"));
    });
    for (const name of [node, "node-2"]) await admin.gone(LinstorSatellite, name);
    for (const volume of ["pvc-1", "pvc-2"]) expect(harness.linstor.goodCopies(volume)).toHaveLength(2);
  });

  test("a snapshot that LINSTOR does not move holds the satellite, which says what to do", async () => {
    await harness.volume("pvc-1", [node, "node-2"]);
    harness.linstor.addSnapshot("backup", "pvc-1", [node, "node-2"]);
    await harness.delete(LinstorSatellite, node);
    await admin.says(node, "SatelliteEvacuated", /^Error: .*snapshots pvc-1\/backup/);
    await harness.clock.advance(600_000);
    expect(await harness.get(LinstorSatellite, node)).toBeDefined();
    expect(await admin.isListed(node)).toBe(true);
  });

  test("the last copy of which no good one is anywhere is never given to LINSTOR to move", async () => {
    await harness.volume("pvc-1", [node]);
    harness.linstor.setDisk("pvc-1", node, "Outdated");
    await harness.delete(LinstorSatellite, node);
    await admin.says(node, "SatelliteEvacuated", /^Error: No copy of pvc-1 is UpToDate/);
    await harness.clock.advance(600_000);
    expect(harness.calls.evacuate).toEqual([]);
    expect(await harness.get(LinstorSatellite, node)).toBeDefined();
  });

  test("a controller that is restarted mid-way is called again, once all is known", async () => {
    await harness.volume("pvc-1", [node, "node-2"]);
    await harness.delete(LinstorSatellite, node);
    await harness.until("LINSTOR was called", () => harness.calls.evacuate.length === 1);
    await harness.clock.advance(12_000);
    harness.linstor.stopController();
    harness.linstor.startController();
    await admin.replaced(node);
    expect(harness.calls).toEqual({ evacuate: [node, node], atOnce: 1 });
    expect(harness.linstor.goodCopies("pvc-1").length).toBeGreaterThanOrEqual(2);
  });

  test("piraeus-operator still writes satellites: nothing is done, and one condition says what to do", async () => {
    await harness.volume("pvc-1", [node, "node-2"]);
    const { apiVersion, kind } = LinstorSatellite;
    const applied = {
      apiVersion,
      kind,
      metadata: { name: node, labels: { "app.kubernetes.io/managed-by": "piraeus-operator" } },
    };
    const options = { fieldManager: "piraeus.io/operator", force: true };
    await harness.client.patch(LinstorSatellite, undefined, node, "apply", applied, options);
    await harness.delete(LinstorSatellite, node);
    await admin.is(node, "HoldfastActive", "OperatorActive");
    await harness.clock.advance(300_000);
    expect(harness.calls.evacuate).toEqual([]);
    expect(await harness.get(LinstorSatellite, node)).toBeDefined();
    const since = new Date(harness.clock.now()).toISOString();
    await harness.merge(LinstorCluster, "linstorcluster", { metadata: { annotations: { [handedOverKey]: since } } });
    await harness.merge(LinstorSatellite, node, { metadata: { labels: { touched: "yes" } } });
    await admin.replaced(node);
  });
});

const elsewhere = Object.entries(writesMade).flatMap(([file, sentences]) =>
  sentences.map((one) => [one, file] as const),
);
const conditionsElsewhere = {
  // Any step may be the one at which the satellite is deleted: one report serves all of them.
  "satellite-await-reattach: conditions SatelliteDeleted of LinstorSatellite": "lib/evacuation.ts",
  "satellite-unmark: conditions SatelliteDeleted of LinstorSatellite": "lib/evacuation.ts",
  "satellite-restore: conditions SatelliteEvacuated of LinstorSatellite": "outages.test.ts",
  "satellite-restore: conditions EvacuationCompleted of LinstorSatellite": "outages.test.ts",
  "satellite-restore: conditions Available of LinstorSatellite": "outages.test.ts",
};
/** A note far ahead of a call of another rule: whichever rule meets it dates it again, by the one code for all. */
const notesElsewhere = Object.fromEntries(
  [
    "satellite-evacuate: annotations holdfast.dev/restoration of LinstorSatellite",
    "satellite-remove-lost: annotations holdfast.dev/registration of LinstorSatellite",
    "satellite-remove: annotations holdfast.dev/registration of LinstorSatellite",
    "satellite-retain: annotations holdfast.dev/removal of LinstorSatellite",
  ].map((sentence) => [sentence, "lib/noted-calls.ts; late-calls.test.ts plays three of these notes"] as const),
);
proveExplanations(seen);
proveWritesAreMade("satellite", asked, {
  ...Object.fromEntries(elsewhere),
  ...conditionsElsewhere,
  ...notesElsewhere,
});
