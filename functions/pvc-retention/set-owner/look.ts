import type { Client } from "../../../shared/kubernetes/client.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Namespace, PersistentVolumeClaim, Pod, StatefulSet as Sets } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { claimsOf, unreadOf } from "../../../shared/storage/pod-claims.ts";
import { policyKey } from "../lib/policy.ts";
import type { StatefulSet } from "../lib/stateful-set.ts";
import { ordinalOf } from "../lib/template-claims.ts";
import { hasNote, hasPolicy, isUsedBy, takesAlong } from "./notes.ts";
import { isOurs, referenceTo } from "./references.ts";

/** A claim that has the name of one of a set's. */
export interface NamedClaim {
  /** Metadata alone. */
  readonly claim: KubernetesObject;
  /** Pods that name the claim, of any owner, if pods were listed. */
  readonly pods: readonly KubernetesObject[];
}

/** A set with all claims of its names. */
export interface Facts {
  readonly set: StatefulSet;
  /** Its namespace, where the policy that it names is of concern: claims go by the set's field, and it says nothing. */
  readonly home: KubernetesObject | undefined;
  readonly claims: readonly NamedClaim[];
}

/** By the note on the claim: another tool's reference may have the same form. */
function isTiedByUs(claim: KubernetesObject, set: StatefulSet): boolean {
  const reference = referenceTo(claim, set);
  return reference !== undefined && isOurs(reference) && isUsedBy(claim, set);
}

/**
 * A set with the claims of its names, and the pods that use them if the decision needs that. `undefined` if the set is
 * gone or being deleted, or neither the set nor its claims have anything of Holdfast.
 */
export async function look(client: Client, namespace: string | undefined, name: string): Promise<Facts | undefined> {
  const set = await client.get<StatefulSet>(Sets, namespace, name);
  if (!set || isBeingDeleted(set)) return undefined;
  const scope = namespace ? { namespace } : {};
  const mayKeep = namespace && takesAlong(set, undefined) && set.metadata.annotations?.[policyKey] === undefined;
  const home = mayKeep ? await client.get(Namespace, undefined, namespace, { metadataOnly: true }) : undefined;
  const found: KubernetesObject[] = [];
  if (set.spec?.volumeClaimTemplates?.length)
    for await (const claim of client.list(PersistentVolumeClaim, { ...scope, metadataOnly: true }))
      if (ordinalOf(set, claim.metadata.name) !== undefined) found.push(claim);
  // A tool that replaces a set drops policy and notes from it, and not what is tied to it. The label alone may be a
  // tool's, which would set it again.
  if (!hasPolicy(set) && !hasNote(set) && !found.some((claim) => isTiedByUs(claim, set))) return undefined;
  const isOpen = (claim: KubernetesObject) => {
    const reference = referenceTo(claim, set);
    return !isUsedBy(claim, set) || (takesAlong(set, home) && (!reference || isOurs(reference)));
  };
  // Listed after the claims: a pod that uses one of them is in the list.
  const pods = new Map<string, KubernetesObject[]>();
  if (hasPolicy(set) && found.some(isOpen))
    for await (const pod of client.list(Pod, { ...scope, leaveOut: unreadOf("strict") }))
      for (const { claim } of claimsOf(pod)) pods.set(claim, [...(pods.get(claim) ?? []), pod]);
  return { set, home, claims: found.map((claim) => ({ claim, pods: pods.get(claim.metadata.name) ?? [] })) };
}
