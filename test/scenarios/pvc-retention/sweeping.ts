import { expect } from "vitest";
import { Pod } from "../../../shared/kubernetes/kind.ts";
import type { ApiResponse } from "../../../shared/kubernetes/transport.ts";
import type { Cluster } from "../../harness/cluster.ts";
import { bareNode } from "../../harness/cluster-objects.ts";
import { pod } from "../../harness/manifest.ts";
import { callsOf } from "../calls-of.ts";
import type { Scenario } from "../scenario.ts";
import { settled } from "../settled.ts";
import {
  annotateNamespace,
  annotateSet,
  belongsTo,
  changePolicy,
  claimName,
  dataOf,
  dataStays,
  deleteSet,
  hasEvent,
  inForce,
  patchClaim,
  podIsGone,
  policyKey,
  runningSet,
  scale,
} from "./helpers.ts";
import { onDeletion } from "./policies.ts";
import { sweptAsShipped } from "./settings.ts";

/** A set that owns the claim of a removed replica, after the tick in which every object is resynced. */
async function withTiedClaim(cluster: Cluster, policyOf: "set" | "namespace" = "set") {
  await cluster.sweep();
  await runningSet(cluster, policyOf === "set" ? { policy: "Retain" } : {});
  const [, removed] = await dataOf(cluster, [0, 1]);
  if (policyOf === "namespace") {
    // The set's claims are noted as its own under any policy.
    await annotateNamespace(cluster, { [policyKey]: "Retain" });
    await inForce(cluster, "Retain");
  }
  await scale(cluster, 1);
  await podIsGone(cluster, 1);
  if (policyOf === "set") await changePolicy(cluster, onDeletion);
  else {
    await annotateNamespace(cluster, { [policyKey]: onDeletion });
    await inForce(cluster, onDeletion);
  }
  await belongsTo(cluster, 1, ["StatefulSet web"]);
  await settled(cluster);
  return removed ? [removed] : [];
}

const all: readonly Scenario[] = [
  {
    title: "a claim that another owner's pod begins to use loses its owner in the next tick, and an Event says so",
    async run(cluster) {
      const { admin, namespace } = cluster;
      const data = await withTiedClaim(cluster);
      await admin.create(Pod, pod({ namespace, name: "rescue" }, [claimName(1)], { nodeName: bareNode }));
      await cluster.sweep();
      await belongsTo(cluster, 1, []);
      await hasEvent(cluster, "PersistentVolumeClaim", claimName(1), "ClaimNotIncluded");
      await deleteSet(cluster);
      await dataStays(cluster, [1], data);
    },
  },
  {
    title: "a claim that other labels take out of its set loses its owner in the next tick",
    async run(cluster) {
      const data = await withTiedClaim(cluster);
      await patchClaim(cluster, 1, { labels: { app: "rescued" } });
      await cluster.sweep();
      await belongsTo(cluster, 1, []);
      await deleteSet(cluster);
      await dataStays(cluster, [1], data);
    },
  },
  {
    title: "a namespace that changes to Retain keeps a claim without a pod after the next tick, without sync-policy",
    // Kubernetes obeys the field, which says Delete, of the claim with a pod.
    harms: true,
    async run(cluster) {
      const data = await withTiedClaim(cluster, "namespace");
      cluster.intercept(async ({ rule }, send) => {
        if (rule === "pvc-retention/sync-policy") throw new Error("It is away.");
        return send();
      }, "everywhere");
      await annotateNamespace(cluster, { [policyKey]: "Retain" });
      await cluster.sweep();
      await belongsTo(cluster, 1, []);
      await deleteSet(cluster);
      await dataStays(cluster, [1], data);
    },
  },
  {
    title: "a tie that the API server carries out after its caller has given up is undone in the next tick",
    async run(cluster) {
      await cluster.sweep();
      await runningSet(cluster, { policy: "Retain" });
      const data = await dataOf(cluster, [1]);
      await scale(cluster, 1);
      await podIsGone(cluster, 1);
      let late: (() => Promise<ApiResponse>) | undefined;
      cluster.intercept(async ({ rule, request }, send) => {
        const ties =
          rule === "pvc-retention/set-owner" && /"add","path":"\/metadata\/ownerReferences/.test(request.body ?? "");
        if (!ties || late) return send();
        late = () => send({ ...request, signal: new AbortController().signal });
        await annotateSet(cluster, { [policyKey]: "Retain" });
        throw new Error("timed out");
      });
      await annotateSet(cluster, { [policyKey]: onDeletion });
      await cluster.eventually("the tie is given up", () => late);
      await inForce(cluster, "Retain");
      await settled(cluster);
      expect((await late?.())?.status).toBe(200);
      await belongsTo(cluster, 1, ["StatefulSet web"]);
      await cluster.sweep();
      await belongsTo(cluster, 1, []);
      await deleteSet(cluster);
      await dataStays(cluster, [1], data);
    },
  },
  {
    title: "a tick asks nothing about a set that owns no claim by Holdfast",
    async run(cluster) {
      await withTiedClaim(cluster);
      await scale(cluster, 2);
      await settled(cluster);
      await cluster.sweep();
      await settled(cluster);
      const before = callsOf(cluster, "pvc-retention").length;
      await cluster.sweep();
      await settled(cluster);
      expect(callsOf(cluster, "pvc-retention").slice(before)).toEqual([]);
    },
  },
];

/** What ends a tie without an event of the set: the next tick of the sweep finds it. */
export const sweeping = all.map(
  (scenario): Scenario => ({ ...scenario, settings: [sweptAsShipped], within: true, alone: true }),
);
