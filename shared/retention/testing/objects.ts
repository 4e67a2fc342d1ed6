import type { KubernetesObject, OwnerReference } from "../../kubernetes/object.ts";
import { nextProgress, progressKey } from "../../progress.ts";
import type { SetAndClaims, TemplateClaim } from "../look-at-set.ts";
import { graceKey, policyKey, readPolicy } from "../policy.ts";
import { projected, projectingRule } from "../projected.ts";
import { isInRange, type StatefulSet } from "../stateful-set.ts";

/** The time at which tests look, in milliseconds since the epoch. */
export const noon = Date.parse("2026-03-01T12:00:00Z");
export const uidOfSet = "u1";

/** Set `web` with one template `data`. */
export function setOf(
  { policy, delay, ...metadata }: { policy?: string; delay?: string; [field: string]: unknown } = {},
  spec: Partial<StatefulSet["spec"]> = {},
): StatefulSet {
  const annotations = {
    ...(policy === undefined ? {} : { [policyKey]: policy }),
    ...(delay === undefined ? {} : { [graceKey]: delay }),
    ...(metadata.annotations as object | undefined),
  };
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "web", namespace: "shop", uid: uidOfSet, resourceVersion: "5", ...metadata, annotations },
    spec: { replicas: 1, volumeClaimTemplates: [{ metadata: { name: "data" } }], ...spec },
  };
}

/** The set with what `project` has noted on it. */
export function notedOn(set: StatefulSet, details: Record<string, unknown>, step: string = projected.inForce) {
  const note = nextProgress(set, projectingRule, { name: step, details }, "So.", noon) ?? "";
  const annotations = { ...set.metadata.annotations, [progressKey(projectingRule)]: note };
  return { ...set, metadata: { ...set.metadata, annotations } };
}

/** A claim of the set, by its ordinal. */
export function claimOf(ordinal: number, metadata: object = {}): KubernetesObject {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: `data-web-${ordinal}`, namespace: "shop", uid: `c${ordinal}`, resourceVersion: "9", ...metadata },
  };
}

/** A pod of the set, by its ordinal. */
export function podOf(ordinal: number, metadata: object = {}): KubernetesObject {
  const ownerReferences = [reference("StatefulSet", "web", uidOfSet, { blockOwnerDeletion: true })];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `web-${ordinal}`,
      namespace: "shop",
      uid: `p${ordinal}`,
      resourceVersion: "7",
      ownerReferences,
      ...metadata,
    },
  };
}

/** An owner reference as Holdfast writes it, unless `more` says otherwise. */
export function reference(kind: string, name: string, uid: string, more: Partial<OwnerReference> = {}): OwnerReference {
  const apiVersion = kind === "StatefulSet" ? "apps/v1" : kind === "Custom" ? "example.com/v1" : "v1";
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: false, ...more };
}

/** The set with claims as a look would have found them. */
export function lookedAt(
  set: StatefulSet,
  claims: readonly (Pick<TemplateClaim, "claim" | "relabelled"> & Partial<Pick<TemplateClaim, "pod" | "rival">>)[],
): SetAndClaims {
  return {
    set,
    policy: readPolicy(set, undefined),
    claims: claims.map(({ claim, pod, rival, relabelled = false }): TemplateClaim => {
      const ordinal = Number(/[0-9]+$/.exec(claim.metadata.name)?.[0]);
      return { claim, template: "data", ordinal, inRange: isInRange(set, ordinal), pod, rival, relabelled };
    }),
  };
}
