import * as z from "zod";
import type { Decision } from "../../../shared/decision.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Event, Namespace, PersistentVolumeClaim, Pod, StatefulSet as Sets } from "../../../shared/kubernetes/kind.ts";
import { lookAtSet, type SetAndClaims } from "../../../shared/retention/look-at-set.ts";
import { notedPolicy } from "../../../shared/retention/noted-policy.ts";
import { owningRule as name } from "../../../shared/retention/owner-references.ts";
import { hasTraces } from "../../../shared/retention/traces.ts";
import { on, rule, type Subject } from "../../../shared/rule.ts";
import { decideClaim } from "./decide-claim.ts";
import { ownershipOf } from "./ownership.ts";

/** The set with its claims; `undefined` when it is gone. Of a set that the rule leaves alone there are no claims. */
export type Facts = SetAndClaims | undefined;

/** What a policy that keeps everything leaves behind is forgive's to take away. */
const concerns = ({ set, policy }: Pick<SetAndClaims, "set" | "policy">) =>
  !isBeingDeleted(set) && policy !== undefined && policy.name !== "Retain";

export const own = rule({
  name,
  doc: "Keeps the owner references of a set's claims as the policy wants them, where Kubernetes' own controller does not: on claims without a pod, and on servers that do not know the field.",
  settings: z.object({}),
  wakes: [on(Sets, ["add", "update"])],
  may: [
    { resource: Sets, verbs: ["get", "list"] },
    { resource: Namespace, verbs: ["get"] },
    { resource: PersistentVolumeClaim, verbs: ["list", "patch"] },
    // What OwnerReferencesPermissionEnforcement, which OpenShift switches on, asks of whoever changes owner references.
    { resource: PersistentVolumeClaim, verbs: ["delete"], overlay: "owner-references-enforced" },
    { resource: Pod, verbs: ["get", "list"] },
    { resource: Event, verbs: ["create", "get", "delete"] },
  ],
  sweep: [{ kind: Sets }],
  subjects,
  look: ({ namespace, name = "" }, { client }): Promise<Facts> =>
    lookAtSet(client, namespace, name, (set, policy) => concerns({ set, policy })),
  decide,
});

function subjects({ kind, change, namespace, name, object }: Hint): readonly Subject[] {
  if (kind !== "StatefulSet" || change === "delete" || !namespace) return [];
  // A set that has its policy from its namespace shows no trace when it is new; project's progress, which comes next, is one.
  const concerned = !object || (hasTraces(object) && !isBeingDeleted(object) && notedPolicy(object)?.name !== "Retain");
  return concerned ? [{ kind: Sets, namespace, name }] : [];
}

function decide(facts: Facts, now: number): readonly Decision[] {
  if (!facts || !concerns(facts)) return [];
  const ownership = ownershipOf(facts);
  return facts.claims.flatMap((claim) => decideClaim(facts.set, claim, ownership, now) ?? []);
}
