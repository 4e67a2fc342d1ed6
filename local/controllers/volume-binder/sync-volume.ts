import { addFinalizers, hasFinalizer, isBeingDeleted, removeFinalizer } from "../../../shared/kubernetes/finalizer.ts";
import { PersistentVolume, PersistentVolumeClaim } from "../../../shared/kubernetes/kind.ts";
import { send } from "../../../shared/kubernetes/write.ts";
import type { ControllerTools } from "../controller.ts";
import type { ClaimObject, ClaimReference, VolumeObject } from "../objects/storage.ts";
import { hasAnnotation, provisionedBy } from "./annotations.ts";
import { setVolumePhase, unbind } from "./bind.ts";
import type { BinderCaches } from "./caches.ts";
import { component, hostPath, volumeFinalizer } from "./provision.ts";

/** Brings one volume forward: its phase, its finalizer, and what its reclaim policy says once its claim is gone. */
export async function syncVolume(
  tools: ControllerTools,
  caches: BinderCaches,
  volume: VolumeObject,
  enqueueClaim: (claim: ClaimReference) => void,
): Promise<void> {
  const { client } = tools;
  const finalizer = finalizerWrite(volume);
  // The change comes back as an event, and with it the next look.
  if (finalizer) return send(client, finalizer);

  const { claimRef } = volume.spec;
  if (!claimRef?.uid) {
    await setVolumePhase(client, volume, "Available");
    return;
  }
  const claim = await findClaim(tools, caches, volume, claimRef);
  if (!claim) return release(tools, volume);
  const { volumeName } = claim.spec;
  if (!volumeName) enqueueClaim(claimRef);
  else if (volumeName === volume.metadata.name) await setVolumePhase(client, volume, "Bound");
  else if (hasAnnotation(volume, provisionedBy) && volume.spec.persistentVolumeReclaimPolicy === "Delete") {
    // Made for this claim, which has found another: it is not needed.
    await release(tools, volume);
  } else await unbind(client, volume);
}

/** The claim a volume is bound to; asks the server before it believes that a claim in use is gone. */
async function findClaim(
  { client }: ControllerTools,
  caches: BinderCaches,
  volume: VolumeObject,
  { namespace, name, uid }: ClaimReference,
): Promise<ClaimObject | undefined> {
  const cached = caches.claims.get(namespace, name);
  if (cached?.metadata.uid === uid) return cached;
  const isReleased = volume.status?.phase === "Released" || volume.status?.phase === "Failed";
  if (isReleased && !cached) return undefined;
  const live = await client.get<ClaimObject>(PersistentVolumeClaim, namespace, name);
  return live?.metadata.uid === uid ? live : undefined;
}

async function release(tools: ControllerTools, volume: VolumeObject): Promise<void> {
  const { phase } = volume.status ?? {};
  // Failed says that reclaiming went wrong: it stays to be seen.
  const released = phase === "Failed" ? volume : await setVolumePhase(tools.client, volume, "Released");
  if (released) await reclaim(tools, released);
}

/** KEP-2644: a volume provisioned in-tree carries the finalizer while its policy is Delete. */
function finalizerWrite(volume: VolumeObject) {
  if (!volume.metadata.annotations?.[provisionedBy]?.startsWith("kubernetes.io/")) return undefined;
  const held = hasFinalizer(volume, volumeFinalizer);
  const deletes = volume.spec.persistentVolumeReclaimPolicy === "Delete";
  if (deletes && !held && !isBeingDeleted(volume)) return addFinalizers(PersistentVolume, volume, [volumeFinalizer]);
  if (!deletes && held) return removeFinalizer(PersistentVolume, volume, volumeFinalizer);
  return undefined;
}

/**
 * Does with a released volume what its reclaim policy says. What it stands for is never touched: there is nothing
 * behind it.
 */
async function reclaim(tools: ControllerTools, volume: VolumeObject): Promise<void> {
  const { persistentVolumeReclaimPolicy: policy } = volume.spec;
  if (policy !== "Delete") return;
  const { client } = tools;
  const problem = deleterOf(volume);
  if (problem === "external") return;
  if (problem) {
    const failed = volume.status?.phase !== "Failed" && (await setVolumePhase(client, volume, "Failed", problem));
    if (failed) tools.record(failed, { type: "Warning", reason: "VolumeFailedDelete", note: problem, by: component });
    return;
  }
  // Deleted first: from then on the finalizer cannot come back. Each change comes back as an event, and with it the
  // next look.
  const { name, uid, deletionTimestamp } = volume.metadata;
  if (!deletionTimestamp) await client.delete(PersistentVolume, undefined, name, { uid });
  else if (hasFinalizer(volume, volumeFinalizer)) {
    await send(client, removeFinalizer(PersistentVolume, volume, volumeFinalizer));
  }
}

/** Who deletes the volume: the controller (`undefined`), its external provisioner, or no one, and then why. */
function deleterOf({ metadata, spec }: VolumeObject): string | undefined {
  const provisioner = metadata.annotations?.[provisionedBy];
  if (provisioner && provisioner !== hostPath) {
    return provisioner.startsWith("kubernetes.io/") ? `no volume plugin matched name: ${provisioner}` : "external";
  }
  if (!spec.hostPath) {
    return `error getting deleter volume plugin for volume "${metadata.name}": no deletable volume plugin matched`;
  }
  if (/\/tmp\/.+/.test(spec.hostPath.path)) return undefined;
  return `host_path deleter only supports /tmp/.+ but received provided ${spec.hostPath.path}`;
}
