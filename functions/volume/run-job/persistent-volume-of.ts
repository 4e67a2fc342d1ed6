import type { Bound } from "../../../shared/declared-writes.ts";
import { PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { Volume } from "../lib/kinds.ts";
import { type VolumeObject, volumeFinalizer } from "../lib/volume.ts";

/** The storage as its node describes it. */
export interface DeviceInfo {
  /** Bytes, in decimal. */
  readonly size: string;
  /** A path that stays the same over restarts of the node. */
  readonly path: string;
}

/**
 * Whether a path is one by which the Volume's storage differs from all other, as the naming rules want it: by the
 * UID in its file system or its partition, or by the id that LVM has given a logical volume.
 */
export function isPathOf({ metadata, spec }: VolumeObject, path: string): boolean {
  if (spec.mode !== "Block") return path === `/dev/disk/by-uuid/${metadata.uid}`;
  return path === `/dev/disk/by-partuuid/${metadata.uid}` || /^\/dev\/disk\/by-id\/dm-uuid-LVM-\w+$/.test(path);
}

interface Class extends KubernetesObject {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly mountOptions?: readonly string[];
}

/**
 * The PersistentVolume of a Volume, as MetalK8s makes it: the template's labels, annotations and fields, a local volume
 * at the path, for this node alone, controlled by the Volume and held by its finalizer. It is never reclaimed by
 * Kubernetes (`Retain`): that is the node's work.
 */
export function persistentVolumeOf(
  volume: VolumeObject,
  storageClass: KubernetesObject,
  info: DeviceInfo,
): KubernetesObject {
  const { metadata, spec } = volume;
  const { parameters = {}, mountOptions } = storageClass as Class;
  // What was stored before there was a default has none.
  const { template = {}, mode = "Filesystem" } = spec as Partial<typeof spec>;
  const { labels, annotations } = (template.metadata ?? {}) as Partial<KubernetesObject["metadata"]>;
  const fsType = parameters.fsType ?? parameters["csi.storage.k8s.io/fstype"];
  const owner = {
    apiVersion: volume.apiVersion,
    kind: volume.kind,
    name: metadata.name,
    uid: metadata.uid,
    controller: true,
    // The Volume's own finalizer is what holds it; a blocking reference would need rights on it where these are
    // enforced.
    blockOwnerDeletion: false,
  };
  // matchFields are not understood for volumes; the label is what local volumes go by.
  const required = {
    nodeSelectorTerms: [
      { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [spec.nodeName] }] },
    ],
  };
  return {
    apiVersion: PersistentVolume.apiVersion,
    kind: PersistentVolume.kind,
    metadata: {
      name: metadata.name,
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      finalizers: [volumeFinalizer],
      ownerReferences: [owner],
    } as unknown as KubernetesObject["metadata"],
    spec: {
      ...template.spec,
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: inBinary(BigInt(info.size)) },
      ...(mountOptions ? { mountOptions } : {}),
      volumeMode: mode,
      local: { path: info.path, ...(mode === "Filesystem" && fsType ? { fsType } : {}) },
      persistentVolumeReclaimPolicy: "Retain",
      storageClassName: spec.storageClassName,
      nodeAffinity: { required },
    },
  };
}

/** What it creates is of this kind, and none of the other ways to a node's disks. */
export const ofVolume: Bound = {
  on: ["create"],
  says: "creates local PersistentVolumes of a Volume of their name, at a path of its storage",
  cel: [
    'object.spec.?local.path.orValue("").matches("^/dev/disk/(by-uuid|by-partuuid|by-id)/[A-Za-z0-9._-]+$")',
    "object.metadata.?ownerReferences.orValue([]).size() == 1",
    `object.metadata.ownerReferences[0].kind == "${Volume.kind}"`,
    "object.metadata.ownerReferences[0].name == object.metadata.name",
    `${JSON.stringify(volumeFinalizer)} in object.metadata.?finalizers.orValue([])`,
    'object.spec.persistentVolumeReclaimPolicy == "Retain"',
  ].join(" && "),
};

/** Bytes as a quantity in the largest binary unit that says them exactly: 67108864 is 64Mi. */
function inBinary(bytes: bigint): string {
  const units = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];
  let unit = 0;
  let count = bytes;
  while (unit < units.length - 1 && count % 1024n === 0n) {
    count /= 1024n;
    unit++;
  }
  return `${count}${units[unit]}`;
}
