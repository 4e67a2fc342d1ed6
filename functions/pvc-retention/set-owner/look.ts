import type { Client } from "../../../shared/kubernetes/client.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { PersistentVolumeClaim, Pod, StatefulSet as Sets } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { claimsOf, unreadOf } from "../../../shared/storage/pod-claims.ts";
import { retentionOf, type StatefulSet } from "../lib/stateful-set.ts";
import { ordinalOf } from "../lib/template-claims.ts";
import { hasNote, hasPolicy, isUsedBy } from "./notes.ts";
import { isControlledBy } from "./references.ts";

/** A claim that has the name of one of a set's. */
export interface NamedClaim {
  /** Metadata alone. */
  readonly claim: KubernetesObject;
  /** Pods that name the claim, whoever made them, where it was looked. */
  readonly pods: readonly KubernetesObject[];
}

/** A set with all claims of its names. */
export interface Facts {
  readonly set: StatefulSet;
  readonly claims: readonly NamedClaim[];
}

/**
 * A set with the claims of its names, and whoever uses them where a verdict may rest on that. `undefined` when it is
 * gone or going, or when nothing of ours is on it, which costs one small read.
 */
export async function look(client: Client, namespace: string | undefined, name: string): Promise<Facts | undefined> {
  const set = await client.get<StatefulSet>(Sets, namespace, name);
  if (!set || isBeingDeleted(set) || !(hasPolicy(set) || hasNote(set))) return undefined;
  const scope = namespace ? { namespace } : {};
  const found: KubernetesObject[] = [];
  if (set.spec.volumeClaimTemplates?.length)
    for await (const claim of client.list(PersistentVolumeClaim, { ...scope, metadataOnly: true }))
      if (ordinalOf(set, claim.metadata.name) !== undefined) found.push(claim);
  const deletes = retentionOf(set).whenDeleted === "Delete";
  const isOpen = (claim: KubernetesObject) => !isUsedBy(claim, set) || (deletes && !isControlledBy(claim, set));
  // Begun after the claims were read: whoever uses one of them is there.
  const pods = new Map<string, KubernetesObject[]>();
  if (hasPolicy(set) && found.some(isOpen))
    for await (const pod of client.list(Pod, { ...scope, leaveOut: unreadOf("strict") }))
      for (const { claim } of claimsOf(pod)) pods.set(claim, [...(pods.get(claim) ?? []), pod]);
  return { set, claims: found.map((claim) => ({ claim, pods: pods.get(claim.metadata.name) ?? [] })) };
}
