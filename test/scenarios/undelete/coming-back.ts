import { expect } from "vitest";
import { PersistentVolumeClaim, Pod } from "../../../shared/kubernetes/kind.ts";
import type { Scenario } from "../scenario.ts";
import {
  annotateNamespace,
  boundVolume,
  createClaim,
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
    title: "a set that is scaled down has its claims handed to its pods, and the namespace keeps their volumes",
    async run(world) {
      const { admin, namespace } = world;
      const storageClassName = await createClass(world, {}, { volumeBindingMode: "WaitForFirstConsumer" });
      await annotateNamespace(world, { [keepKey]: "24h" });
      await createSet(world, 1, storageClassName, "");
      const volume = await boundVolume(world, "data-web-0");
      await isNoted(world, volume, "retained");
      const hold = (finalizers: string[] | null) =>
        admin.patch(Pod, namespace, "web-0", "merge", { metadata: { finalizers } });
      await hold(["scenario.example/still-stopping"]);
      await scale(world, 0);
      const claim = () => admin.get(PersistentVolumeClaim, namespace, "data-web-0");
      await world.eventually("the claim is its pod's", async () => (await claim())?.metadata.ownerReferences?.length);
      await world.rest();
      expect((await volumeOf(world, volume)).spec.persistentVolumeReclaimPolicy).toBe("Retain");
      await hold(null);
      await isOffered(world, volume);
    },
  },
  {
    title: "the volume of a deleted claim is kept, offered to its name, and bound to the next claim of that name",
    async run(world) {
      const volume = await keptClaim(world);
      await deleteClaim(world);
      const { metadata } = await isOffered(world, volume);
      expect(metadata.labels).toMatchObject({
        "holdfast.dev/waiting": "true",
        "holdfast.dev/volume-of": world.namespace,
      });
      const due = Date.parse(metadata.annotations?.[reclaimAtKey] ?? "");
      expect(Math.abs(due - world.clock.now() - 86_400_000)).toBeLessThan(180_000);
      expect(metadata.annotations?.["pv.kubernetes.io/bound-by-controller"]).toBeUndefined();
      expect((await namespaceOf(world)).metadata.finalizers).toContain(guard);
      await hasEvent(world, volume, "VolumeOffered");
      await createClaim(world);
      expect(await boundVolume(world)).toBe(volume);
      await hasNoEvent(world, volume, "VolumeOffered");
      const again = await isNoted(world, volume, "retained");
      expect(again.metadata.annotations?.[reclaimAtKey]).toBeUndefined();
      expect(again.metadata.labels?.["holdfast.dev/waiting"]).toBeUndefined();
      expect(noteOn(again)).toMatchObject({ policy: "Delete", for: "24h" });
      await deleteClaim(world);
      await isOffered(world, volume);
    },
  },
  {
    title: "a volume that nobody has come back for is reclaimed by Kubernetes when its time has come, and not before",
    alone: true,
    async run(world) {
      const volume = await offeredVolume(world);
      await world.sweep();
      await world.rest();
      await isOffered(world, volume);
      await makeDue(world, volume);
      await world.sweep();
      await volumeIsGone(world, volume);
    },
  },
  {
    title: "a set that is scaled down and up again has its data back, also where volumes wait for a pod",
    async run(world) {
      const storageClassName = await createClass(world, {}, { volumeBindingMode: "WaitForFirstConsumer" });
      await createSet(world, 2, storageClassName);
      const volumes = [await boundVolume(world, "data-web-0"), await boundVolume(world, "data-web-1")];
      for (const volume of volumes) await isNoted(world, volume, "retained");
      await scale(world, 0);
      for (const volume of volumes) await isOffered(world, volume);
      await scale(world, 2);
      expect([await boundVolume(world, "data-web-0"), await boundVolume(world, "data-web-1")]).toEqual(volumes);
      for (const volume of volumes)
        expect((await volumeOf(world, volume)).spec.storageClassName).toBe(storageClassName);
    },
  },
];
