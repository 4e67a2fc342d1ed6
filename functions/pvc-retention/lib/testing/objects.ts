import type { KubernetesObject, OwnerReference } from "../../../../shared/kubernetes/object.ts";
import { nextProgress, progressKey } from "../../../../shared/progress.ts";
import { fieldManager } from "../field-managers.ts";
import { policyKey, projectingRule } from "../policy.ts";
import type { Fate, StatefulSet } from "../stateful-set.ts";

/** The time at which tests look, in milliseconds since the epoch. */
export const noon = Date.parse("2026-03-01T12:00:00Z");
export const uidOfSet = "u1";

interface Shape {
  readonly policy?: string;
  /** The field as `Delete/Retain`; absent: as the server fills it in. */
  readonly field?: string;
  /** Who holds which of its occasions, and how; `Apply` by ours under the name `us`. */
  readonly held?: readonly (readonly [manager: string, operation: "Apply" | "Update", ...occasions: string[]])[];
  readonly metadata?: object;
  readonly replicas?: number;
}

/** Set `web` with one template `data`. */
export function setOf({ policy, field = "Retain/Retain", held = [], metadata, replicas = 1 }: Shape = {}): StatefulSet {
  const [whenDeleted, whenScaled] = field.split("/") as [Fate, Fate];
  const managedFields = held.map(([manager, operation, ...occasions]) => ({
    manager: manager === "us" ? fieldManager : manager,
    operation,
    fieldsV1: {
      "f:spec": {
        "f:persistentVolumeClaimRetentionPolicy": Object.fromEntries(occasions.map((one) => [`f:${one}`, {}])),
      },
    },
  }));
  const { annotations, ...more } = (metadata ?? {}) as { annotations?: Record<string, string> };
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: {
      name: "web",
      namespace: "shop",
      uid: uidOfSet,
      resourceVersion: "5",
      managedFields,
      ...more,
      annotations: { ...(policy === undefined ? {} : { [policyKey]: policy }), ...annotations },
    },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      volumeClaimTemplates: [{ metadata: { name: "data" } }],
      persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
    },
    status: { replicas },
  };
}

/** The object with the progress that a rule has written on it. */
export function noted<Object extends KubernetesObject>(
  object: Object,
  rule: string,
  step: string,
  details = {},
): Object {
  const text = nextProgress(object, rule, { name: step, details }, "So.", noon) ?? "";
  const annotations = { ...object.metadata.annotations, [progressKey(rule)]: text };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** The set as `sync-policy` leaves it once its policy is in force. */
export const followed = (shape: Shape, policy = "DeleteOnStatefulSetDeletionOnly"): StatefulSet =>
  noted(setOf(shape), projectingRule, "in-force", { policy });

/** A claim with the name of one of the set's, by its ordinal. */
export function claimOf(ordinal: number, metadata: object = {}): KubernetesObject {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name: `data-web-${ordinal}`,
      namespace: "shop",
      uid: `c${ordinal}`,
      resourceVersion: "9",
      labels: { app: "web" },
      ...metadata,
    },
  };
}

/** A pod of the set, by its ordinal. */
export function podOf(ordinal: number, metadata: object = {}): KubernetesObject {
  const ownerReferences = [reference("StatefulSet", "web", uidOfSet, { blockOwnerDeletion: true })];
  const name = `web-${ordinal}`;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "shop", uid: `p${ordinal}`, resourceVersion: "7", ownerReferences, ...metadata },
    spec: { volumes: [{ name: "data", persistentVolumeClaim: { claimName: `data-web-${ordinal}` } }] },
  };
}

/** An owner reference as Holdfast writes it, unless `more` says otherwise. */
export function reference(kind: string, name: string, uid: string, more: Partial<OwnerReference> = {}): OwnerReference {
  const apiVersion = kind === "StatefulSet" ? "apps/v1" : kind === "Custom" ? "example.com/v1" : "v1";
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: false, ...more };
}
