import { addFinalizers, hasFinalizer, isBeingDeleted, removeFinalizer } from "../../shared/kubernetes/finalizer.ts";
import { PersistentVolume } from "../../shared/kubernetes/kind.ts";
import { send } from "../../shared/kubernetes/write.ts";
import type { ControllerTools, Running } from "./controller.ts";
import { startObjectQueue } from "./object-queue.ts";
import type { VolumeObject } from "./objects/storage.ts";

const protection = "kubernetes.io/pv-protection";

/**
 * Kubernetes' own PV protection: puts `kubernetes.io/pv-protection` on volumes that lack it, and takes it off a volume
 * being deleted unless its phase is Bound.
 */
export function startVolumeProtection(tools: ControllerTools): Running {
  const { client, reflections } = tools;
  const volumes = reflections.of<VolumeObject>(PersistentVolume);
  return startObjectQueue(tools, {
    controller: "persistentvolume-protection-controller",
    objects: volumes,
    async work(volume) {
      const held = hasFinalizer(volume, protection);
      if (!isBeingDeleted(volume)) {
        if (!held) await send(client, addFinalizers(PersistentVolume, volume, [protection]));
      } else if (held && volume.status?.phase !== "Bound") {
        await send(client, removeFinalizer(PersistentVolume, volume, protection));
      }
    },
  });
}
