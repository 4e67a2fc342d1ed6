import { describe, expect, test } from "vitest";
import { Cluster, LinstorCluster, LinstorSatellite, Machine } from "../../functions/satellite/lib/kinds.ts";
import { handedOverKey } from "../../functions/satellite/lib/lifecycle.ts";
import { marksOn } from "../../functions/satellite/lib/marks.ts";
import type { LinstorClusterObject } from "../../functions/satellite/lib/satellite.ts";
import { Node, PersistentVolume } from "../../shared/kubernetes/kind.ts";
import { proveWritesAreMade } from "../scenarios/rights.ts";
import type { Administrator } from "./administrator.ts";
import { addressOf, nodes, type SatelliteBed } from "./bed.ts";
import { onBed } from "./on-bed.ts";
import { writesMade } from "./writes-made.ts";

let bed: SatelliteBed;
let admin: Administrator;
const node = "node-1";
const controlPlane = { labels: { "cluster.x-k8s.io/control-plane": "" } };

const asked = onBed((opened, administrator) => {
  bed = opened;
  admin = administrator;
});

describe("policy Evacuate", () => {
  test("with a Machine: all nine steps, from its deletion to the last finalizer", async () => {
    await bed.machine("control", "node-4", controlPlane);
    await bed.machine("worker", node);
    await admin.hooked("worker");
    await bed.volume("pvc-1", [node, "node-2"], { attached: node });
    await bed.volume("pvc-2", [node, "node-2"], { attached: node, bound: true });
    await bed.volume("pvc-3", [node]);
    await bed.delete(Machine, "worker");
    await admin.gone(Machine, "worker");
    await admin.gone(Node, node);
    await admin.gone(LinstorSatellite, node);
    expect(await admin.isListed(node)).toBe(false);
    for (const name of ["pvc-1", "pvc-2", "pvc-3"]) {
      const volume = await bed.get(PersistentVolume, name);
      expect(marksOn(volume?.metadata.annotations, node)).toEqual([]);
      expect(bed.linstor.goodCopies(name)).toHaveLength(name === "pvc-3" ? 1 : 2);
    }
    expect(bed.calls).toEqual({ evacuate: [node], atOnce: 1 });
    expect(nodes.slice(1)).toEqual(expect.arrayContaining([...bed.linstor.goodCopies("pvc-3")]));
  });

  test(
    "without a Machine: a deleted LinstorSatellite goes when its data is elsewhere, " + "and comes back empty",
    async () => {
      await bed.volume("pvc-1", [node, "node-2"]);
      const { uid } = (await bed.get(LinstorSatellite, node))?.metadata ?? {};
      await bed.delete(LinstorSatellite, node);
      await bed.until("it was re-created", async () => {
        const live = await bed.get(LinstorSatellite, node);
        return live && live.metadata.uid !== uid && !live.metadata.deletionTimestamp;
      });
      expect(bed.linstor.goodCopies("pvc-1").toSorted()).not.toContain(node);
      expect(bed.linstor.goodCopies("pvc-1")).toHaveLength(2);
    },
  );

  test("says where it stands, in both conditions, while LINSTOR copies", async () => {
    await bed.volume("pvc-1", [node, "node-2"]);
    await bed.delete(LinstorSatellite, node);
    const waits = /^Waiting on remaining resources and snapshots: .*pvc-1/;
    for (const type of ["SatelliteEvacuated", "EvacuationCompleted"])
      await bed.until(`${type} says so`, async () => {
        const { status, reason, message = "" } = (await bed.condition(node, type)) ?? {};
        return status === "False" && reason === "InProgress" && waits.test(message);
      });
    await admin.replaced(node);
  });
});

describe("policies Retain and Delete", () => {
  test("Retain: the LinstorSatellite goes at once, and LINSTOR keeps node and data", async () => {
    await admin.setPolicy(node, "Retain");
    await bed.volume("pvc-1", [node]);
    await admin.taint(node, "NoExecute");
    await admin.gone(LinstorSatellite, node);
    expect(await admin.isListed(node)).toBe(true);
    expect(bed.linstor.goodCopies("pvc-1")).toEqual([node]);
    expect(bed.calls.evacuate).toEqual([]);
  });

  test("Delete: waits while the satellite is connected, and gives up everything once it is not", async () => {
    await admin.setPolicy(node, "Delete");
    await bed.volume("pvc-1", [node, "node-2"]);
    await admin.taint(node, "NoExecute");
    await bed.until("it says what it waits for", async () =>
      (await bed.condition(node, "SatelliteDeleted"))?.message.includes("is not OFFLINE in LINSTOR"),
    );
    expect(await admin.isListed(node)).toBe(true);
    bed.linstor.stopSatellite(addressOf(node));
    await admin.gone(LinstorSatellite, node);
    expect(await admin.isListed(node)).toBe(false);
    expect(bed.linstor.goodCopies("pvc-1")).toEqual(["node-2"]);
  });

  test("Retain takes hooks off again that Evacuate had put there", async () => {
    await bed.machine("worker", node);
    await admin.hooked("worker");
    await admin.setPolicy(node, "Retain");
    await bed.until("the hooks are gone", async () => (await admin.hooksOn("worker")).length === 0);
  });
});

describe("admission and retirement", () => {
  test(
    "an untolerated NoSchedule keeps a satellite that there is, " + "and keeps a deleted one from coming back",
    async () => {
      await admin.setPolicy(node, "Retain");
      await admin.taint(node, "NoSchedule");
      await bed.clock.advance(60_000);
      expect((await bed.get(LinstorSatellite, node))?.metadata.deletionTimestamp).toBeUndefined();
      await bed.delete(LinstorSatellite, node);
      await admin.gone(LinstorSatellite, node);
      await bed.clock.advance(60_000);
      expect(await bed.get(LinstorSatellite, node)).toBeUndefined();
      await bed.merge(Node, node, { spec: { taints: null } });
      await bed.until("it is there again", () => bed.get(LinstorSatellite, node));
    },
  );

  test.each(["nodeSelector", "nodeAffinity"])("a changed %s deletes what no longer matches", async (field) => {
    for (const name of nodes) await admin.setPolicy(name, "Retain");
    await bed.merge(Node, "node-2", { metadata: { labels: { storage: "yes" } } });
    const affinity = { nodeSelectorTerms: [{ matchExpressions: [{ key: "storage", operator: "Exists" }] }] };
    const spec = field === "nodeSelector" ? { nodeSelector: { storage: "yes" } } : { nodeAffinity: affinity };
    await bed.merge(LinstorCluster, "linstorcluster", { spec });
    for (const name of ["node-1", "node-3", "node-4"]) await admin.gone(LinstorSatellite, name);
    expect((await bed.get(LinstorSatellite, "node-2"))?.metadata.deletionTimestamp).toBeUndefined();
  });
});

describe("bad cases", () => {
  test("1: the Node is gone before the end: the Machine was written down, and is released", async () => {
    await bed.machine("control", "node-4", controlPlane);
    await bed.machine("worker", node);
    await admin.hooked("worker");
    await bed.volume("pvc-1", [node, "node-2"]);
    await bed.delete(Machine, "worker");
    await bed.delete(Node, node);
    await admin.gone(Machine, "worker");
    await admin.gone(LinstorSatellite, node);
    expect(bed.linstor.goodCopies("pvc-1")).toHaveLength(2);
    expect(bed.linstor.goodCopies("pvc-1")).not.toContain(node);
  });

  test("2: somebody removes the node from LINSTOR mid-way: marks and hooks are cleaned all the same", async () => {
    await bed.machine("control", "node-4", controlPlane);
    await bed.machine("worker", node);
    await admin.hooked("worker");
    await bed.volume("pvc-1", [node, "node-2"], { attached: node });
    await bed.delete(Machine, "worker");
    await bed.until("it is marked", async () => (await admin.marks("pvc-1", node)).length > 0);
    bed.linstor.stopSatellite(addressOf(node));
    await bed.clock.advance(5_000);
    await admin.ask("DELETE", `/v1/nodes/${node}/lost`);
    await admin.gone(Machine, "worker");
    await admin.gone(LinstorSatellite, node);
    expect(await admin.marks("pvc-1", node)).toEqual([]);
  });

  test("3: the policy is changed mid-way: marks and hooks go", async () => {
    await bed.machine("control", "node-4", controlPlane);
    await bed.machine("worker", node);
    await admin.hooked("worker");
    await bed.volume("pvc-1", [node, "node-2"], { attached: node, localOnly: true });
    await bed.delete(Machine, "worker");
    await bed.until("it is marked", async () => (await admin.marks("pvc-1", node)).length > 0);
    await admin.setPolicy(node, "Retain");
    await bed.until("no mark is left", async () => (await admin.marks("pvc-1", node)).length === 0);
    await admin.gone(Machine, "worker");
  });

  test("3: a satellite that LINSTOR evacuates though nothing leaves is restored", async () => {
    await admin.ask("PUT", `/v1/nodes/${node}/evacuate`);
    await bed.merge(LinstorSatellite, node, { metadata: { annotations: { "holdfast.dev/evacuation": "{}" } } });
    await bed.until("it is restored", async () => !(await admin.linstorNode(node)).flags?.includes("EVACUATE"));
  });

  test("3: a satellite that is made again in the middle, after Retain, is restored by itself", async () => {
    await bed.volume("pvc-1", [node, "node-2"]);
    await bed.delete(LinstorSatellite, node);
    await bed.until("LINSTOR was called", () => bed.calls.evacuate.length > 0);
    await admin.setPolicy(node, "Retain");
    await bed.until("it was made again", async () => {
      const live = await bed.get(LinstorSatellite, node);
      return live && !live.metadata.deletionTimestamp;
    });
    const made = bed.clock.now();
    await bed.until("it is restored", async () => !(await admin.linstorNode(node)).flags?.includes("EVACUATE"));
    expect(bed.clock.now() - made).toBeLessThan(120_000);
  });

  test("4: an offline satellite is named, and the policy Delete is the way out", async () => {
    await bed.volume("pvc-1", [node, "node-2"]);
    bed.linstor.stopSatellite(addressOf(node));
    await bed.clock.advance(5_000);
    await bed.delete(LinstorSatellite, node);
    await bed.until("it says so", async () =>
      (await bed.condition(node, "SatelliteEvacuated"))?.message.includes("is OFFLINE in LINSTOR"),
    );
    await bed.clock.advance(300_000);
    expect(bed.calls.evacuate).toEqual([]);
    await admin.taint(node, "NoExecute");
    // Its Node is not to have a satellite any more, so that configurations do not reach it.
    await bed.merge(LinstorSatellite, node, { spec: { deletionPolicy: "Delete" } });
    await admin.gone(LinstorSatellite, node);
    expect(bed.linstor.goodCopies("pvc-1")).toEqual(["node-2"]);
  });

  test("4: the policy Delete in a configuration for the Node, as the message says, ends it", async () => {
    await bed.volume("pvc-1", [node, "node-2"]);
    bed.linstor.stopSatellite(addressOf(node));
    await bed.clock.advance(5_000);
    await bed.delete(LinstorSatellite, node);
    await admin.says(node, "SatelliteEvacuated", /Delete in a LinstorSatelliteConfiguration for its Node/);
    const replaced = admin.replaced(node);
    await admin.setPolicy(node, "Delete");
    await replaced;
    expect(bed.linstor.goodCopies("pvc-1")).toEqual(["node-2"]);
  });

  test("5: two that are deleted at once are evacuated one after the other", async () => {
    await bed.volume("pvc-1", [node, "node-2"]);
    await bed.volume("pvc-2", ["node-2", "node-3"]);
    for (const name of [node, "node-2"]) await admin.taint(name, "NoExecute");
    for (const name of [node, "node-2"]) await admin.gone(LinstorSatellite, name);
    expect(bed.calls.atOnce).toBe(1);
    expect(bed.calls.evacuate.toSorted()).toEqual([node, "node-2"]);
    for (const volume of ["pvc-1", "pvc-2"]) expect(bed.linstor.goodCopies(volume)).toHaveLength(2);
  });

  test("6: an unrelated satellite that is not ready is named, and waited for half an hour at most", async () => {
    await bed.volume("pvc-1", [node, "node-2"]);
    // Of the Node's metadata as a whole no property can be made.
    const properties = [{ name: "Aux/x", valueFrom: { nodeFieldRef: "metadata" } }];
    await admin.configureOnly("node-3", { properties });
    await bed.until(
      "it is not configured",
      async () => (await bed.condition("node-3", "Configured"))?.status === "False",
    );
    await bed.delete(LinstorSatellite, node);
    await bed.until("it is named", async () =>
      (await bed.condition(node, "SatelliteEvacuated"))?.message.includes("to become ready: node-3"),
    );
    await bed.clock.advance(20 * 60_000);
    expect(bed.calls.evacuate).toEqual([]);
    await admin.replaced(node);
    expect(bed.history.join()).toContain("goes on although LinstorSatellites are not ready: node-3");
  });

  test("the whole cluster is deleted: the hooks are released, and LINSTOR is not asked", async () => {
    await bed.machine("control", "node-4", controlPlane);
    await bed.machine("worker", node);
    await admin.hooked("worker");
    await bed.merge(Cluster, "test", { metadata: { finalizers: ["test.holdfast.dev/hold"] } });
    await bed.delete(Cluster, "test");
    await bed.delete(LinstorSatellite, node);
    await admin.replaced(node);
    await bed.delete(Machine, "worker");
    await admin.gone(Machine, "worker");
    expect(bed.calls.evacuate).toEqual([]);
  });

  test.each(["Evacuate", "Delete"])(
    "with the LinstorCluster and LINSTOR gone, policy %s: it is let go",
    async (policy) => {
      await bed.machine("worker", node);
      await admin.hooked("worker");
      await admin.setPolicy(node, policy);
      bed.linstor.stopController();
      await bed.delete(LinstorCluster, "linstorcluster");
      await bed.delete(LinstorSatellite, node);
      await admin.gone(LinstorSatellite, node);
      expect(await admin.hooksOn("worker")).toEqual([]);
      expect(bed.calls.evacuate).toEqual([]);
    },
  );

  // As where satellites of piraeus-operator, which block their owner's deletion, are deleted from the outside in.
  test.each(["Evacuate", "Delete"])(
    "with the LinstorCluster going, and held until its satellites are gone, policy %s: it is let go with its data",
    async (policy) => {
      await bed.volume("pvc-1", [node]);
      await admin.setPolicy(node, policy);
      await bed.merge(LinstorCluster, "linstorcluster", { metadata: { finalizers: ["test.holdfast.dev/hold"] } });
      await bed.delete(LinstorCluster, "linstorcluster");
      for (const name of nodes) await bed.delete(LinstorSatellite, name);
      for (const name of nodes) await admin.gone(LinstorSatellite, name);
      expect(await admin.isListed(node)).toBe(true);
      expect(bed.linstor.goodCopies("pvc-1")).toEqual([node]);
      expect(bed.calls.evacuate).toEqual([]);
    },
  );

  // As kubectl replace --force does, or Argo CD with Replace and Force: garbage collection deletes what it owned.
  test.each(["Evacuate", "Delete"])(
    "with the LinstorCluster replaced by one of its name, policy %s: satellites go with their data, and are made anew",
    async (policy) => {
      await bed.volume("pvc-1", [node]);
      await admin.setPolicy(node, policy);
      const uid = (await bed.get(LinstorSatellite, node))?.metadata.uid;
      const { spec } = (await bed.get<LinstorClusterObject>(LinstorCluster, "linstorcluster")) ?? {};
      await bed.delete(LinstorCluster, "linstorcluster");
      await bed.create(LinstorCluster, { metadata: { name: "linstorcluster" }, spec });
      await bed.until("there is another satellite", async () => {
        const live = await bed.get(LinstorSatellite, node);
        return live && live.metadata.uid !== uid;
      });
      await bed.clock.advance(600_000);
      expect(await admin.isListed(node)).toBe(true);
      expect(bed.linstor.goodCopies("pvc-1")).toEqual([node]);
      expect(bed.calls.evacuate).toEqual([]);
    },
  );

  test("as many as there are slots are evacuated at a time, and the others say where they stand", async () => {
    await bed.merge(LinstorCluster, "linstorcluster", { spec: { maxConcurrentEvacuations: 1 } });
    await bed.volume("pvc-1", [node, "node-3"]);
    await bed.volume("pvc-2", ["node-2", "node-4"]);
    for (const name of [node, "node-2"]) await admin.taint(name, "NoExecute");
    await bed.until("one of them waits", async () => {
      const reports = await Promise.all([node, "node-2"].map((name) => bed.condition(name, "SatelliteEvacuated")));
      return reports.some((one) => one?.reason === "Waiting" && one.message.includes("position 2 of 2"));
    });
    for (const name of [node, "node-2"]) await admin.gone(LinstorSatellite, name);
    for (const volume of ["pvc-1", "pvc-2"]) expect(bed.linstor.goodCopies(volume)).toHaveLength(2);
  });

  test("a snapshot that LINSTOR does not move holds the satellite, which says what to do", async () => {
    await bed.volume("pvc-1", [node, "node-2"]);
    bed.linstor.addSnapshot("backup", "pvc-1", [node, "node-2"]);
    await bed.delete(LinstorSatellite, node);
    await bed.until("it says so", async () =>
      /^Error: .*snapshots pvc-1\/backup/.test((await bed.condition(node, "SatelliteEvacuated"))?.message ?? ""),
    );
    await bed.clock.advance(600_000);
    expect(await bed.get(LinstorSatellite, node)).toBeDefined();
    expect(await admin.isListed(node)).toBe(true);
  });

  test("the last copy of which no good one is anywhere is never given to LINSTOR to move", async () => {
    await bed.volume("pvc-1", [node]);
    bed.linstor.setDisk("pvc-1", node, "Outdated");
    await bed.delete(LinstorSatellite, node);
    await bed.until("it says so", async () =>
      (await bed.condition(node, "SatelliteEvacuated"))?.message.startsWith("Error: No copy of pvc-1 is UpToDate"),
    );
    await bed.clock.advance(600_000);
    expect(bed.calls.evacuate).toEqual([]);
    expect(await bed.get(LinstorSatellite, node)).toBeDefined();
  });

  test("a controller that is restarted mid-way is called again, once all is known", async () => {
    await bed.volume("pvc-1", [node, "node-2"]);
    await bed.delete(LinstorSatellite, node);
    await bed.until("LINSTOR was called", () => bed.calls.evacuate.length === 1);
    await bed.clock.advance(12_000);
    bed.linstor.stopController();
    bed.linstor.startController();
    await admin.replaced(node);
    expect(bed.calls).toEqual({ evacuate: [node, node], atOnce: 1 });
    expect(bed.linstor.goodCopies("pvc-1").length).toBeGreaterThanOrEqual(2);
  });

  test("piraeus-operator still writes satellites: nothing is done, and one condition says what to do", async () => {
    await bed.volume("pvc-1", [node, "node-2"]);
    const { apiVersion, kind } = LinstorSatellite;
    const applied = {
      apiVersion,
      kind,
      metadata: { name: node, labels: { "app.kubernetes.io/managed-by": "piraeus-operator" } },
    };
    const options = { fieldManager: "piraeus.io/operator", force: true };
    await bed.client.patch(LinstorSatellite, undefined, node, "apply", applied, options);
    await bed.delete(LinstorSatellite, node);
    await bed.until(
      "it says so",
      async () => (await bed.condition(node, "HoldfastActive"))?.reason === "OperatorActive",
    );
    await bed.clock.advance(300_000);
    expect(bed.calls.evacuate).toEqual([]);
    expect(await bed.get(LinstorSatellite, node)).toBeDefined();
    const since = new Date(bed.clock.now()).toISOString();
    await bed.merge(LinstorCluster, "linstorcluster", { metadata: { annotations: { [handedOverKey]: since } } });
    await bed.merge(LinstorSatellite, node, { metadata: { labels: { touched: "yes" } } });
    await admin.replaced(node);
  });
});

const elsewhere = Object.entries(writesMade).flatMap(([file, sentences]) =>
  sentences.map((one) => [one, file] as const),
);
proveWritesAreMade("satellite", asked, Object.fromEntries(elsewhere));
