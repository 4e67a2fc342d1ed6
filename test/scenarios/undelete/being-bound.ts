import { expect } from "vitest";
import { PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import { bareNode } from "../../harness/cluster-objects.ts";
import { Namespace } from "../../harness/kinds.ts";
import { pod } from "../../harness/manifest.ts";
import type { Scenario } from "../scenario.ts";
import {
  annotateNamespace,
  bindClaim,
  boundVolume,
  claimOf,
  createClaim,
  createClass,
  createVolume,
  isNoted,
  isOffered,
  isPhase,
  keepKey,
  keptClaim,
  namespaceIsGone,
  volumeIsGone,
} from "./helpers.ts";

/** A claim is deleted while its volume is bound to it, or before its volume is noted. */
export const beingBound: readonly Scenario[] = [
  {
    title: "if the events of claims are lost, the deletion of their namespace has the volumes kept that pods still use",
    within: true,
    async run(cluster) {
      const { admin, namespace } = cluster;
      await annotateNamespace(cluster, { [keepKey]: "24h" });
      cluster.fate(({ kind }) => (kind === "PersistentVolumeClaim" ? [] : undefined));
      const names = ["one", "two", "three"];
      const volumes: string[] = [];
      for (const name of names) {
        volumes.push(await bindClaim(cluster, { name, keep: "" }));
        // There is no kubelet: the claim stays until this scenario removes the pod.
        await admin.create(Pod, pod({ namespace, name }, [name], { nodeName: bareNode }));
      }
      await admin.delete(Namespace, undefined, namespace);
      for (const volume of volumes) await isNoted(cluster, volume, "retained");
      for (const name of names) await admin.delete(Pod, namespace, name, { gracePeriodSeconds: 0 });
      await namespaceIsGone(cluster);
      for (const volume of volumes) {
        await isNoted(cluster, volume, "asks");
        await isPhase(cluster, volume, "Released");
      }
    },
  },
  {
    title: "a volume that Kubernetes binds to a claim whose deletion has begun is kept",
    async run(cluster) {
      const { admin, namespace } = cluster;
      const finalizers = ["scenario.example/hold"];
      const storageClassName = await createClass(cluster, {}, { provisioner: "kubernetes.io/no-provisioner" });
      await createClaim(cluster, { spec: { storageClassName }, metadata: { finalizers } });
      await admin.delete(PersistentVolumeClaim, namespace, "data");
      expect((await claimOf(cluster))?.metadata.deletionTimestamp).toBeDefined();
      const volume = await createVolume(cluster, { storageClassName, persistentVolumeReclaimPolicy: "Delete" });
      expect(await boundVolume(cluster)).toBe(volume);
      await isNoted(cluster, volume, "retained");
      await admin.patch(PersistentVolumeClaim, namespace, "data", "merge", { metadata: { finalizers: null } });
      await isOffered(cluster, volume);
    },
  },
  {
    title: "while the functions do not reach the API server, a deleted namespace takes along what is bound meanwhile",
    within: true,
    alone: true,
    harms: true,
    async run(cluster) {
      const { admin, namespace } = cluster;
      const noted = await keptClaim(cluster, { name: "before" });
      let isAway = true;
      cluster.intercept(async (_, send) => {
        if (isAway) throw new Error("connect ECONNREFUSED");
        return send();
      }, "everywhere");
      const lost = await bindClaim(cluster, { name: "meanwhile" });
      await admin.delete(Namespace, undefined, namespace);
      await volumeIsGone(cluster, lost);
      isAway = false;
      await cluster.sweep();
      await namespaceIsGone(cluster);
      await isNoted(cluster, noted, "asks");
      await isPhase(cluster, noted, "Released");
    },
  },
];
