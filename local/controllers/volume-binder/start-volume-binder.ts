import { keyOf } from "../../../eventing/watch/reflect.ts";
import { PersistentVolume, PersistentVolumeClaim, StorageClass } from "../../../shared/kubernetes/kind.ts";
import type { ControllerTools, Running } from "../controller.ts";
import { splitKey } from "../controller.ts";
import type { ClaimObject, ClaimReference, ClassObject, VolumeObject } from "../objects/storage.ts";
import { startWorkQueue } from "../work-queue.ts";
import type { BinderCaches } from "./caches.ts";
import { isFor } from "./match-volume.ts";
import { syncClaim } from "./sync-claim.ts";
import { syncVolume } from "./sync-volume.ts";

/**
 * Binds claims and volumes as kube-controller-manager does, with a hostpath provisioner: by name, by reservation, by
 * best match, or by making one; reclaims volumes whose claim is gone. Where Kubernetes looks at everything every 15 s,
 * this looks at what a change can concern.
 */
export function startVolumeBinder(tools: ControllerTools): Running {
  const { reflections } = tools;
  const caches: BinderCaches = {
    claims: reflections.of<ClaimObject>(PersistentVolumeClaim),
    volumes: reflections.of<VolumeObject>(PersistentVolume),
    classes: reflections.of<ClassObject>(StorageClass),
  };
  const { claims, volumes, classes } = caches;
  const synced = Promise.all([claims.synced, volumes.synced, classes.synced]);

  // One at a time, and claims hold a slash: two claims never reach for the same volume at once.
  const queue = startWorkQueue(tools, {
    controller: "persistentvolume-binder-controller",
    ready: synced,
    async work(key) {
      const { namespace, name } = splitKey(key);
      const claim = namespace && claims.get(namespace, name);
      if (claim) await syncClaim(tools, caches, claim);
      const volume = !namespace && volumes.get(undefined, name);
      if (volume) await syncVolume(tools, caches, volume, enqueueClaim);
    },
  });

  function enqueueClaim({ namespace, name }: ClaimReference): void {
    queue.add(`${namespace}/${name}`);
  }

  claims.on((change, claim) => {
    if (change !== "delete") queue.add(keyOf(claim));
    const { volumeName } = claim.spec;
    if (volumeName) queue.add(volumeName);
    // A volume that was given to the claim while it was given another is given up only now.
    if (change !== "delete" && !volumeName) return;
    for (const volume of volumes.list()) if (isFor(volume, claim)) queue.add(volume.metadata.name);
  });

  volumes.on((change, volume) => {
    const { name } = volume.metadata;
    const { claimRef } = volume.spec;
    if (change !== "delete") queue.add(name);
    if (claimRef) enqueueClaim(claimRef);
    const isFree = change !== "delete" && !claimRef && volume.status?.phase === "Available";
    for (const claim of claims.list()) {
      const { volumeName } = claim.spec;
      if (volumeName === name || (isFree && !volumeName)) queue.add(keyOf(claim));
    }
  });

  classes.on((change, { metadata }) => {
    if (change === "delete") return;
    for (const claim of claims.list()) {
      if (!claim.spec.volumeName && claim.spec.storageClassName === metadata.name) queue.add(keyOf(claim));
    }
  });
  return { synced };
}
