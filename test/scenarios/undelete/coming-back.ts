import { expect } from "vitest";
import { PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import type { Scenario } from "../scenario.ts";
import {
  annotateNamespace,
  bindClaim,
  boundVolume,
  createClass,
  createSet,
  deleteClaim,
  guard,
  hasEvent,
  hasNoEvent,
  isNoted,
  isOffered,
  keepKey,
  keptClaim,
  makeDue,
  namespaceOf,
  noteOn,
  offeredVolume,
  reclaimAtKey,
  scale,
  volumeIsGone,
  volumeOf,
} from "./helpers.ts";

/** A claim goes, and its volume waits for one of its name. */
export const comingBack: readonly Scenario[] = [
  {
    title: "when a set is scaled down and its claims are deleted with their pods, the volumes are kept",
    async run(cluster) {
      const { admin, namespace } = cluster;
      const storageClassName = await createClass(cluster, {}, { volumeBindingMode: "WaitForFirstConsumer" });
      await annotateNamespace(cluster, { [keepKey]: "24h" });
      await createSet(cluster, 1, storageClassName, "");
      const volume = await boundVolume(cluster, "data-web-0");
      await isNoted(cluster, volume, "retained");
      const hold = (finalizers: string[] | null) =>
        admin.patch(Pod, namespace, "web-0", "merge", { metadata: { finalizers } });
      await hold(["scenario.example/still-stopping"]);
      await scale(cluster, 0);
      const claim = () => admin.get(PersistentVolumeClaim, namespace, "data-web-0");
      await cluster.eventually("the claim is its pod's", async () => (await claim())?.metadata.ownerReferences?.length);
      await cluster.rest();
      expect((await volumeOf(cluster, volume)).spec.persistentVolumeReclaimPolicy).toBe("Retain");
      await hold(null);
      await isOffered(cluster, volume);
    },
  },
  {
    title: "the volume of a deleted claim is kept, offered to its name, and bound to the next claim of that name",
    async run(cluster) {
      const volume = await keptClaim(cluster);
      await deleteClaim(cluster);
      const { metadata } = await isOffered(cluster, volume);
      expect(metadata.labels).toMatchObject({
        "holdfast.dev/waiting": "true",
        "holdfast.dev/volume-of": cluster.namespace,
      });
      const due = Date.parse(metadata.annotations?.[reclaimAtKey] ?? "");
      expect(Math.abs(due - cluster.clock.now() - 86_400_000)).toBeLessThan(180_000);
      expect(metadata.annotations?.["pv.kubernetes.io/bound-by-controller"]).toBeUndefined();
      expect((await namespaceOf(cluster)).metadata.finalizers).toContain(guard);
      await hasEvent(cluster, volume, "VolumeOffered");
      expect(await bindClaim(cluster)).toBe(volume);
      await hasNoEvent(cluster, volume, "VolumeOffered");
      const again = await isNoted(cluster, volume, "retained");
      expect(again.metadata.annotations?.[reclaimAtKey]).toBeUndefined();
      expect(again.metadata.labels?.["holdfast.dev/waiting"]).toBeUndefined();
      expect(noteOn(again)).toMatchObject({ policy: "Delete", for: "24h" });
      await deleteClaim(cluster);
      await isOffered(cluster, volume);
    },
  },
  {
    title: "a kept volume that no claim has taken is reclaimed by Kubernetes when its time is over, and not before",
    alone: true,
    async run(cluster) {
      const volume = await offeredVolume(cluster);
      await cluster.sweep();
      await cluster.rest();
      await isOffered(cluster, volume);
      await makeDue(cluster, volume);
      await cluster.sweep();
      await volumeIsGone(cluster, volume);
    },
  },
  {
    title: "a set that is scaled down and up again has its data back, also if its class waits for a pod",
    async run(cluster) {
      const storageClassName = await createClass(cluster, {}, { volumeBindingMode: "WaitForFirstConsumer" });
      await createSet(cluster, 2, storageClassName);
      const volumes = [await boundVolume(cluster, "data-web-0"), await boundVolume(cluster, "data-web-1")];
      for (const volume of volumes) await isNoted(cluster, volume, "retained");
      await scale(cluster, 0);
      for (const volume of volumes) await isOffered(cluster, volume);
      await scale(cluster, 2);
      expect([await boundVolume(cluster, "data-web-0"), await boundVolume(cluster, "data-web-1")]).toEqual(volumes);
      for (const volume of volumes)
        expect((await volumeOf(cluster, volume)).spec.storageClassName).toBe(storageClassName);
    },
  },
];
