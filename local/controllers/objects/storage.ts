import type { LabelSelector } from "../../../shared/kubernetes/label-selector.ts";
import type { NodeSelector } from "../../../shared/kubernetes/node-selector.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";

/** A PersistentVolumeClaim as far as the controllers read it. */
export interface ClaimObject extends KubernetesObject {
  spec: {
    accessModes?: string[];
    resources?: { requests?: { storage?: string } };
    selector?: LabelSelector;
    /** Absent or empty: no class at all. */
    storageClassName?: string;
    volumeMode?: string;
    volumeName?: string;
    [field: string]: unknown;
  };
  status?: {
    phase?: "Pending" | "Bound" | "Lost";
    accessModes?: string[];
    capacity?: { storage?: string };
    [field: string]: unknown;
  };
}

/** A PersistentVolume as far as the controllers read it. */
export interface VolumeObject extends KubernetesObject {
  spec: {
    accessModes?: string[];
    capacity?: { storage?: string };
    claimRef?: ClaimReference;
    hostPath?: { path: string; type?: string };
    nodeAffinity?: { required?: NodeSelector };
    persistentVolumeReclaimPolicy?: "Retain" | "Delete" | "Recycle";
    storageClassName?: string;
    volumeMode?: string;
    [field: string]: unknown;
  };
  status?: { phase?: "Pending" | "Available" | "Bound" | "Released" | "Failed"; message?: string };
}

export interface ClaimReference {
  apiVersion?: string;
  kind?: string;
  namespace: string;
  name: string;
  /** Absent while the volume is only reserved for a claim of that name. */
  uid?: string;
  resourceVersion?: string;
}

/** A StorageClass as far as the controllers read it. */
export interface ClassObject extends KubernetesObject {
  provisioner: string;
  reclaimPolicy?: "Retain" | "Delete";
  volumeBindingMode?: "Immediate" | "WaitForFirstConsumer";
  mountOptions?: string[];
}
