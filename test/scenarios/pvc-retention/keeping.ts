import { expect } from "vitest";
import { pathOf, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { Cluster } from "../../harness/cluster.ts";
import type { Scenario } from "../scenario.ts";
import {
  annotateSet,
  belongsTo,
  changePolicy,
  claimOf,
  dataOf,
  dataStays,
  deleteSet,
  goesByHand,
  holdPod,
  inForce,
  isForgotten,
  letGoOfPod,
  ownerOf,
  patchClaim,
  podIsGone,
  podOf,
  policyKey,
  progressOn,
  referenceTo,
  runningData,
  runningSet,
  scale,
  setOf,
} from "./helpers.ts";
import { both, onDeletion, onScaledown } from "./policies.ts";

/** A set with a claim that has a pod and one that has none; both go with the set. */
async function withReferences(cluster: Cluster): Promise<void> {
  await runningSet(cluster, { policy: onDeletion });
  await scale(cluster, 1);
  await podIsGone(cluster, 1);
  for (const ordinal of [0, 1]) await belongsTo(cluster, ordinal, ["StatefulSet web"]);
}

/** Claims that are to stay from now on. */
export const keeping: readonly Scenario[] = [
  {
    title: "after a change back to Retain, no claim has the set as its owner, and none is deleted with it",
    async run(cluster) {
      await withReferences(cluster);
      const data = await dataOf(cluster, [0, 1]);
      await changePolicy(cluster, "Retain");
      for (const ordinal of [0, 1]) await belongsTo(cluster, ordinal, []);
      await deleteSet(cluster);
      await dataStays(cluster, [0, 1], data);
    },
  },
  {
    title: "after a change back to Retain, owner references of others stay on a claim",
    async run(cluster) {
      await runningSet(cluster, { policy: "Retain" });
      await scale(cluster, 1);
      await podIsGone(cluster, 1);
      await patchClaim(cluster, 1, { ownerReferences: [referenceTo(await ownerOf(cluster, "other-owner"))] });
      await changePolicy(cluster, onDeletion);
      await belongsTo(cluster, 1, ["ConfigMap other-owner", "StatefulSet web"]);
      await changePolicy(cluster, "Retain");
      await belongsTo(cluster, 1, ["ConfigMap other-owner"]);
    },
  },
  {
    title: "when the policy is removed, nothing of Holdfast is left on the set and its claims",
    async run(cluster) {
      await withReferences(cluster);
      await annotateSet(cluster, { [policyKey]: null });
      for (const ordinal of [0, 1]) await belongsTo(cluster, ordinal, []);
      await isForgotten(cluster);
      for (const ordinal of [0, 1])
        await cluster.eventually(
          `nothing of ours is left on claim ${ordinal}`,
          async () => progressOn((await claimOf(cluster, ordinal)) as never, "set-owner") === undefined,
        );
    },
  },
  {
    title: "a tool that replaces the set, and drops policy and notes with it, has its claims kept",
    async run(cluster) {
      await runningSet(cluster, { policy: "Retain" });
      await scale(cluster, 1);
      await podIsGone(cluster, 1);
      await changePolicy(cluster, onDeletion);
      await belongsTo(cluster, 1, ["StatefulSet web"]);
      const data = await dataOf(cluster, [0, 1]);
      const { apiVersion, kind, metadata, spec } = await setOf(cluster);
      const { persistentVolumeClaimRetentionPolicy: _, ...kept } = spec;
      const { namespace, name } = metadata;
      const manifest = { apiVersion, kind, metadata: { namespace, name }, spec: kept };
      await cluster.admin.request("PUT", pathOf(StatefulSet, namespace, name), manifest);
      await belongsTo(cluster, 1, []);
      await deleteSet(cluster);
      await dataStays(cluster, [0, 1], data);
    },
  },
  {
    title: "a change back to Retain during a scale-down keeps the claim of the replica",
    async run(cluster) {
      const data = await runningData(cluster, { policy: onScaledown });
      await holdPod(cluster, 1);
      await scale(cluster, 1);
      await cluster.eventually("the pod stops", async () => (await podOf(cluster, 1))?.metadata.deletionTimestamp);
      await belongsTo(cluster, 1, ["Pod web-1"]);
      await annotateSet(cluster, { [policyKey]: "Retain" });
      await belongsTo(cluster, 1, []);
      await letGoOfPod(cluster, 1);
      await podIsGone(cluster, 1);
      await dataStays(cluster, [0, 1], data);
    },
  },
  {
    title: "if the policy changes several times, the last one counts",
    async run(cluster) {
      const data = await runningData(cluster, { policy: "Retain", replicas: 3 });
      for (const policy of [both, onDeletion, "Retain", onScaledown, onDeletion] as const)
        await annotateSet(cluster, { [policyKey]: policy });
      await inForce(cluster, onDeletion);
      await scale(cluster, 2);
      await podIsGone(cluster, 2);
      await dataStays(cluster, [0, 1, 2], data);
      await changePolicy(cluster, "Retain");
      await deleteSet(cluster);
      await dataStays(cluster, [0, 1, 2], data);
    },
  },
  {
    title: "an owner reference that a user wrote on a claim stays under Retain",
    async run(cluster) {
      await runningSet(cluster, { policy: "Retain" });
      await scale(cluster, 1);
      await podIsGone(cluster, 1);
      const theirs = referenceTo(await setOf(cluster));
      await patchClaim(cluster, 1, { ownerReferences: [theirs] });
      await annotateSet(cluster, { "scenario.example/touched": "keeping" });
      await cluster.rest();
      expect((await claimOf(cluster, 1))?.metadata.ownerReferences).toEqual([theirs]);
      await goesByHand(cluster, 1);
    },
  },
];
