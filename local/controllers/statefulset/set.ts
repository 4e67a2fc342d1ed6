import type { LabelSelector } from "../../../shared/kubernetes/label-selector.ts";
import type { KubernetesObject, ObjectMeta } from "../../../shared/kubernetes/object.ts";
import type { PodObject } from "../objects/pod.ts";
import type { ClaimObject } from "../objects/storage.ts";

/** A StatefulSet as far as its controller reads it, with the API server's defaults. */
export interface SetObject extends KubernetesObject {
  spec: {
    replicas: number;
    selector: LabelSelector;
    template: PodTemplate;
    serviceName?: string;
    volumeClaimTemplates?: ClaimTemplate[];
    podManagementPolicy?: "OrderedReady" | "Parallel";
    updateStrategy: { type: "RollingUpdate" | "OnDelete"; rollingUpdate?: { partition?: number } };
    ordinals?: { start?: number };
    /** Absent on a server older than 1.23. */
    persistentVolumeClaimRetentionPolicy?: RetentionPolicy;
    [field: string]: unknown;
  };
  status?: SetStatus;
}

/** What becomes of the claims of a set that is deleted, and of ordinals that are scaled away. */
export interface RetentionPolicy {
  whenDeleted?: "Retain" | "Delete";
  whenScaled?: "Retain" | "Delete";
}

export interface SetStatus {
  observedGeneration?: number;
  replicas: number;
  readyReplicas?: number;
  availableReplicas?: number;
  currentReplicas?: number;
  updatedReplicas?: number;
  currentRevision?: string;
  updateRevision?: string;
}

export interface PodTemplate {
  metadata?: Partial<ObjectMeta>;
  spec: PodObject["spec"];
}

interface ClaimTemplate {
  metadata: Partial<ObjectMeta> & { name: string };
  spec: ClaimObject["spec"];
}

/** One state of a set's pod template, kept so that pods can be made from it and a rollout be undone. */
export interface RevisionObject extends KubernetesObject {
  /** A patch of the set: `{spec: {template: {..., $patch: "replace"}}}`. */
  data: { spec: { template: PodTemplate } };
  /** Grows with each change; the highest is the wanted one. */
  revision: number;
}
