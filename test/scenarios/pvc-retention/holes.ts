import { expect } from "vitest";
import { Event, PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import type { Cluster } from "../../harness/cluster.ts";
import { bareNode } from "../../harness/cluster-objects.ts";
import { claim, pod } from "../../harness/manifest.ts";
import type { Scenario } from "../scenario.ts";
import {
  annotateSet,
  belongsTo,
  changePolicy,
  claimIsGone,
  claimName,
  claimOf,
  dataGoes,
  dataOf,
  dataStays,
  deleteSet,
  hasEvent,
  patchClaim,
  podIsGone,
  provideClaim,
  runningData,
  runningSet,
  scale,
} from "./helpers.ts";
import { both, onDeletion } from "./policies.ts";

const Claims = "PersistentVolumeClaim";

/** Scales a set of two pods to one. Returns the data of both. */
async function scaledToOne(cluster: Cluster, options: { policy?: string } = {}) {
  await runningSet(cluster, options);
  const data = await dataOf(cluster, [0, 1]);
  await scale(cluster, 1);
  await podIsGone(cluster, 1);
  return data;
}

/** What Kubernetes' own controller leaves open, and claims that only look like the set's. */
export const holes: readonly Scenario[] = [
  {
    title: "claims of a scale-down under Retain are deleted with the set if its policy changes before",
    async run(cluster) {
      const data = await runningData(cluster, { policy: "Retain", replicas: 3 });
      await scale(cluster, 1);
      for (const ordinal of [1, 2]) await podIsGone(cluster, ordinal);
      await dataStays(cluster, [0, 1, 2], data);
      await changePolicy(cluster, onDeletion);
      await deleteSet(cluster);
      await dataGoes(cluster, [0, 1, 2], data);
    },
  },
  {
    title: "claims that a set left behind before it had a policy stay, and an Event has the command to include them",
    async run(cluster) {
      const data = await scaledToOne(cluster);
      await changePolicy(cluster, onDeletion);
      const { note } = await hasEvent(cluster, Claims, claimName(1), "ClaimNotIncluded");
      await belongsTo(cluster, 1, []);
      const [, key = "", value = ""] = /'([^=]+)=(.*)'`$/.exec(note) ?? [];
      await patchClaim(cluster, 1, { annotations: { [key]: value } });
      await changePolicy(cluster, "Retain");
      await changePolicy(cluster, onDeletion);
      await belongsTo(cluster, 1, ["StatefulSet web"]);
      await cluster.eventually("the Event is cleared", async () => {
        for await (const event of cluster.admin.list(Event, { namespace: cluster.namespace }))
          if ((event as { reason?: string }).reason === "ClaimNotIncluded") return false;
        return true;
      });
      await deleteSet(cluster);
      await dataGoes(cluster, [0, 1], data);
    },
  },
  {
    title: "a claim with a name of the set's claims that another owner's pod uses stays when the set is deleted",
    async run(cluster) {
      const { admin, namespace } = cluster;
      const name = "data-web-2024";
      const spec = { storageClassName: "standard" };
      await admin.create(PersistentVolumeClaim, claim({ namespace, name, labels: { app: "reports" } }, spec));
      await admin.create(Pod, pod({ namespace, name: "reports" }, [name], { nodeName: bareNode }));
      await provideClaim(cluster, 7);
      const data = [...(await dataOf(cluster, [2024])), ...(await dataOf(cluster, [7]))];
      await runningSet(cluster, { policy: both });
      await hasEvent(cluster, Claims, claimName(7), "ClaimNotIncluded");
      await deleteSet(cluster);
      await dataStays(cluster, [2024, 7], data);
    },
  },
  {
    title: "a claim that another owner's pod uses does not get the set as its owner, although the set has used it",
    async run(cluster) {
      const { admin, namespace } = cluster;
      const data = await scaledToOne(cluster, { policy: "Retain" });
      await admin.create(Pod, pod({ namespace, name: "rescue" }, [claimName(1)], { nodeName: bareNode }));
      await changePolicy(cluster, onDeletion);
      const { note } = await hasEvent(cluster, Claims, claimName(1), "ClaimNotIncluded");
      expect(note).toContain("because pod rescue, which is not one of the set's, names it.");
      await belongsTo(cluster, 1, []);
      await deleteSet(cluster);
      await dataStays(cluster, [1], data.slice(1));
    },
  },
  {
    title: "a claim that another owner's pod begins to use belongs to the set no more once the set is looked at",
    async run(cluster) {
      const { admin, namespace } = cluster;
      const data = await scaledToOne(cluster, { policy: "Retain" });
      await changePolicy(cluster, onDeletion);
      await belongsTo(cluster, 1, ["StatefulSet web"]);
      await admin.create(Pod, pod({ namespace, name: "rescue" }, [claimName(1)], { nodeName: bareNode }));
      await annotateSet(cluster, { "holdfast.dev/pvc-retention.set-owner": null });
      await belongsTo(cluster, 1, []);
      await deleteSet(cluster);
      await dataGoes(cluster, [0], data);
      await dataStays(cluster, [1], data.slice(1));
    },
  },
  {
    title: "a claim whose labels were removed is kept like all others when the policy changes to Retain",
    async run(cluster) {
      const data = await scaledToOne(cluster, { policy: onDeletion });
      await patchClaim(cluster, 1, { labels: { app: null } });
      await changePolicy(cluster, "Retain");
      await belongsTo(cluster, 1, []);
      await deleteSet(cluster);
      await dataStays(cluster, [0, 1], data);
    },
  },
  {
    title: "a claim whose labels were removed after the set used it stays, and an Event says so",
    async run(cluster) {
      const data = await scaledToOne(cluster, { policy: "Retain" });
      await patchClaim(cluster, 1, { labels: { app: null } });
      await changePolicy(cluster, onDeletion);
      await hasEvent(cluster, Claims, claimName(1), "ClaimNotIncluded");
      await deleteSet(cluster);
      await dataGoes(cluster, [0], data);
      await dataStays(cluster, [1], data.slice(1));
    },
  },
  {
    title: "a deleted set leaves the claims of a former set whose claims could have the same names",
    async run(cluster) {
      await runningSet(cluster, { name: "c", templates: ["data-b"], replicas: 1, policy: both });
      await runningSet(cluster, { name: "b-c", replicas: 3, policy: "Retain" });
      const data = await dataOf(cluster, [0, 1, 2], "b-c");
      await deleteSet(cluster, "Background", "b-c");
      for (const ordinal of [0, 1, 2]) await podIsGone(cluster, ordinal, "b-c");
      await cluster.sweep();
      await cluster.rest();
      await deleteSet(cluster, "Background", "c");
      await dataStays(cluster, [1, 2], data.slice(1), "b-c");
      // The claim that both sets have used belongs to the set that is left, as without Holdfast.
      await claimIsGone(cluster, 0, data[0]?.claim ?? "", "b-c");
    },
    within: true,
  },
  {
    title: "a claim with a copied note does not belong to the set",
    async run(cluster) {
      await runningSet(cluster, { policy: "Retain" });
      const key = "holdfast.dev/pvc-retention.set-owner";
      const note = (await claimOf(cluster, 0))?.metadata.annotations?.[key] ?? "";
      await provideClaim(cluster, 5, { annotations: { [key]: note }, labels: { app: "web" } });
      const data = await dataOf(cluster, [5]);
      await changePolicy(cluster, onDeletion);
      await hasEvent(cluster, Claims, claimName(5), "ClaimNotIncluded");
      await deleteSet(cluster);
      await dataStays(cluster, [5], data);
    },
  },
];
