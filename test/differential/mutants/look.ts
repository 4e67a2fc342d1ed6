import type { Hint } from "../../../shared/event/hint.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Namespace, PersistentVolumeClaim, Pod, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { View } from "../../../shared/rule.ts";
import type { Subject } from "../../../shared/subject.ts";
import { mounts, type PodObject, type SetObject } from "../play/side.ts";
import { policyKey } from "../sequence/policy.ts";

/** What mutants look at: a set that has a policy, and the claims that have no pod. */
export interface Seen {
  readonly set: SetObject | undefined;
  readonly policy: string | undefined;
  readonly idle: readonly KubernetesObject[];
}

/** The set that an event is about. */
export const setOf = ({ kind, namespace, name }: Hint): readonly Subject[] =>
  kind === "StatefulSet" && namespace ? [{ kind: StatefulSet, namespace, name }] : [];

const policyIn = (object: KubernetesObject | undefined) => object?.metadata.annotations?.[policyKey];

export async function lookAtSet({ namespace = "", name = "" }: Subject, { client }: View<object>): Promise<Seen> {
  const set = await client.get<SetObject>(StatefulSet, namespace, name);
  const namespaced = await client.get(Namespace, undefined, namespace);
  const policy = policyIn(set) ?? policyIn(namespaced);
  const pods = await Array.fromAsync(client.list<PodObject>(Pod, { namespace }));
  const claims = await Array.fromAsync(client.list(PersistentVolumeClaim, { namespace }));
  return {
    set: set && policy !== undefined && !isBeingDeleted(set) ? set : undefined,
    policy,
    idle: claims
      .filter((claim) => !isBeingDeleted(claim) && !pods.some((pod) => mounts(pod, claim.metadata.name)))
      .map((claim) => ({ ...claim, apiVersion: PersistentVolumeClaim.apiVersion, kind: PersistentVolumeClaim.kind })),
  };
}

/** What mutants may read. */
export const reading = [
  { resource: StatefulSet, verbs: ["get", "patch"], why: "to read the policy of the set, and to write it" },
  { resource: Namespace, verbs: ["get"], why: "to read the policy of the namespace" },
  { resource: Pod, verbs: ["list"], why: "to see which claims are used" },
  { resource: PersistentVolumeClaim, verbs: ["list", "patch", "delete"], why: "to delete claims as the policy says" },
] as const;

/** The ordinal in a claim's name, if it looks like one of the set's. */
export function ordinalIn(claim: KubernetesObject, set: SetObject): number | undefined {
  const [, ordinal] = new RegExp(`^[a-z-]+-${set.metadata.name}-(\\d+)$`).exec(claim.metadata.name) ?? [];
  return ordinal === undefined ? undefined : Number(ordinal);
}
