import { hasFinalizer, removeFinalizer } from "../../../shared/kubernetes/finalizer.ts";
import { PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import { send } from "../../../shared/kubernetes/write.ts";
import type { ControllerTools } from "../controller.ts";
import type { VolumeObject } from "../objects/storage.ts";
import { provisionedBy } from "./annotations.ts";
import { setVolumePhase } from "./bind.ts";
import { component, hostPath, volumeFinalizer } from "./provision.ts";

/**
 * Does with a released volume what its reclaim policy says. What it stands for is never touched: there is nothing
 * behind it.
 */
export async function reclaim(tools: ControllerTools, volume: VolumeObject): Promise<void> {
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
