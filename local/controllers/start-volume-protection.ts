import { addFinalizers, hasFinalizer, isBeingDeleted, removeFinalizer } from "../../shared/kubernetes/finalizer.ts";
import { send } from "../../shared/kubernetes/write.ts";
import type { ControllerTools, Running } from "./controller.ts";
import { PersistentVolume } from "./objects/kinds.ts";
import type { VolumeObject } from "./objects/storage.ts";
import { startWorkQueue } from "./work-queue.ts";

const protection = "kubernetes.io/pv-protection";

/**
 * Kubernetes' own PV protection: puts `kubernetes.io/pv-protection` on volumes that lack it, and takes it off a volume
 * being deleted unless its phase is Bound.
 */
export function startVolumeProtection({ client, clock, signal, reflections, trouble }: ControllerTools): Running {
  const volumes = reflections.of<VolumeObject>(PersistentVolume);
  const queue = startWorkQueue({
    clock,
    signal,
    ready: volumes.synced,
    async work(name) {
      const volume = volumes.get(undefined, name);
      if (!volume) return;
      const held = hasFinalizer(volume, protection);
      if (!isBeingDeleted(volume)) {
        if (!held) await send(client, addFinalizers(PersistentVolume, volume, [protection]));
      } else if (held && volume.status?.phase !== "Bound") {
        await send(client, removeFinalizer(PersistentVolume, volume, protection));
      }
    },
    failed: (subject, error) => trouble({ controller: "persistentvolume-protection-controller", subject, error }),
  });
  volumes.on((change, { metadata }) => {
    if (change !== "delete") queue.add(metadata.name);
  });
  return { synced: volumes.synced };
}
