import { ApiError } from "../../../shared/kubernetes/api-error.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { PersistentVolume, pathOf } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { quantityValue } from "../../../shared/kubernetes/quantity.ts";
import type { ChainFacts } from "../lib/look.ts";
import { abandonStorage } from "../lib/vanished-node.ts";
import type { VolumeObject } from "../lib/volume.ts";
import { type DeviceInfo, persistentVolumeOf } from "./persistent-volume-of.ts";

/** What stands in the way of a Volume's next job, or of its PersistentVolume. */
export interface Obstacle {
  /** The step at which the Volume waits for it to go away; absent where only a new Volume helps. */
  readonly step?: "name-taken" | "class-missing" | "node-missing";
  /** Whole sentences that say what to do. */
  readonly message: string;
  /** The reason of the Event, where the Volume does not wait. */
  readonly event?: string;
}

/** What of the cluster a Volume is made from; `undefined` where it is not there. */
export interface NeededObjects {
  readonly storageClass: KubernetesObject | undefined;
  readonly node: KubernetesObject | undefined;
}

/** What Kubernetes lacks for a Volume that is to be made. `isMade`: its storage is there, and no node is needed. */
export function obstacleToMaking(
  { volume, persistentVolume }: ChainFacts,
  { storageClass, node }: NeededObjects,
  isMade: boolean,
): Obstacle | undefined {
  const { metadata, spec } = volume;
  const goesOn = `Volume ${metadata.name} goes on by itself`;
  if (persistentVolume) return nameTaken(volume, persistentVolume);
  if (!storageClass) {
    const message = `StorageClass ${spec.storageClassName} does not exist: create it, and ${goesOn}.`;
    return { step: "class-missing", message };
  }
  if (isMade) return undefined;
  const small = tooSmall(volume, storageClass);
  if (small || node) return small;
  return {
    step: "node-missing",
    message: `Node ${spec.nodeName} does not exist: add it to the cluster, and ${goesOn}.`,
  };
}

/** What mkfs.xfs makes at least, in bytes; the Volume does not say of which kind its file system is to be. */
const leastXfs = 300 * 2 ** 20;

/** The class makes a file system that does not fit into the Volume. */
function tooSmall({ metadata, spec }: VolumeObject, storageClass: KubernetesObject): Obstacle | undefined {
  const { fsType } = (storageClass.parameters ?? {}) as { readonly fsType?: string };
  const { size } = spec.sparseLoopDevice ?? spec.lvmLogicalVolume ?? {};
  if (spec.mode === "Block" || fsType !== "xfs" || !(quantityValue(size) < leastXfs)) return undefined;
  const message =
    `Volume ${metadata.name} asks for ${size}, and an xfs file system, which StorageClass ${spec.storageClassName} ` +
    "asks for, needs at least 300Mi. Nothing was done on the node. Delete the Volume, and create a larger one.";
  return { message, event: "InvalidVolume" };
}

/** Another's PersistentVolume has the name. */
function nameTaken({ metadata }: VolumeObject, persistentVolume: KubernetesObject): Obstacle {
  const taken = `There is a PersistentVolume ${metadata.name} already, and it is not this Volume's`;
  if (!isBeingDeleted(persistentVolume))
    return {
      message: `${taken}. Delete this Volume, and create one under another name.`,
      event: "PersistentVolumeTaken",
    };
  const message = `${taken}, but it is being deleted: this Volume goes on by itself when it is gone.`;
  return { step: "name-taken", message };
}

/** The node of a Volume that is being deleted is gone. */
export function nodeGone({ metadata, spec }: VolumeObject): Obstacle {
  const message =
    `Node ${spec.nodeName} does not exist, so nothing can reclaim the storage of Volume ${metadata.name}. ` +
    "Bring the node back. Or, if it is gone for good, give its storage up: `kubectl annotate volume " +
    `${metadata.name} ${abandonStorage}=${spec.nodeName}\``;
  return { step: "node-missing", message };
}

/**
 * Why the API server would not take the Volume's PersistentVolume, whose template is the user's: asked for by a dry
 * run, before anything is made on the node and again before it is published.
 *
 * @throws ApiError for what is not about the object itself
 */
export async function refusalOf(
  client: Client,
  volume: VolumeObject,
  storageClass: KubernetesObject,
  info: DeviceInfo = { size: "1", path: `/dev/disk/by-uuid/${volume.metadata.uid}` },
): Promise<Obstacle | undefined> {
  const object = persistentVolumeOf(volume, storageClass, info);
  try {
    await client.request("POST", `${pathOf(PersistentVolume)}?dryRun=All`, object);
  } catch (error) {
    // Invalid, not decodable, or denied by an admission policy: RBAC says "cannot".
    const isAboutIt = error instanceof ApiError && [400, 403, 422].includes(error.status);
    if (isAboutIt && !/ cannot /.test(error.message))
      return {
        message:
          `The API server refuses the PersistentVolume of Volume ${volume.metadata.name}: ${error.message} ` +
          "Delete the Volume, and create it with another template.",
        event: "PersistentVolumeRefused",
      };
    if (!(error instanceof ApiError && error.status === 409)) throw error;
  }
  return undefined;
}
