import * as z from "zod";
import type { Decision } from "../../../shared/decision.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Event, Namespace, PersistentVolumeClaim, Pod, StatefulSet as Sets } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readProgress } from "../../../shared/progress.ts";
import { condemningRule as name, noteUse } from "../../../shared/retention/from-before.ts";
import { inUse } from "../../../shared/retention/in-use.ts";
import { lookAtSet, type SetAndClaims } from "../../../shared/retention/look-at-set.ts";
import { notedPolicy } from "../../../shared/retention/noted-policy.ts";
import { setOfPod } from "../../../shared/retention/pod-set.ts";
import type { Policy } from "../../../shared/retention/policy.ts";
import type { StatefulSet } from "../../../shared/retention/stateful-set.ts";
import { hasTraces } from "../../../shared/retention/traces.ts";
import { on, rule, type Subject } from "../../../shared/rule.ts";
import { condemned } from "./decide-claim.ts";
import { lackedClaim, nudge, nudgedFor, setThatLacks } from "./nudge.ts";

/**
 * The set with its claims; `undefined` when it is gone. Of a set that the rule leaves alone there are no claims. `missing`: a claim
 * that went, and that the set may want again.
 */
export type Facts = (SetAndClaims & { readonly missing?: string | undefined }) | undefined;

export const condemn = rule({
  name,
  doc: "Deletes the claims of ordinals that were scaled away, where the policy says so, once their pod is out of the way.",
  settings: z.object({}),
  wakes: [on(Sets, ["update"]), on(Pod, ["delete"]), on(PersistentVolumeClaim, ["delete"])],
  may: [
    { resource: Sets, verbs: ["get", "list", "patch"] },
    { resource: Namespace, verbs: ["get"] },
    { resource: PersistentVolumeClaim, verbs: ["list", "patch", "delete"] },
    { resource: Pod, verbs: ["get", "list"] },
    { resource: Event, verbs: ["create", "get", "delete"] },
  ],
  sweep: [{ kind: Sets }],
  concurrency: 100,
  subjects,
  look: async ({ kind, namespace, name = "", turn }, { client }): Promise<Facts> => {
    if (kind.kind === "StatefulSet") {
      const found = await look(client, namespace, name);
      if (!found || found.missing !== undefined || !turn) return found;
      return concerns(found.set, found.policy) ? { ...found, missing: lackedClaim(found) } : found;
    }
    const set = await setThatLacks(client, namespace, name);
    return set === undefined ? undefined : look(client, namespace, set, name);
  },
  decide,
});

async function look(client: Client, namespace: string | undefined, set: string, missing?: string): Promise<Facts> {
  const found = await lookAtSet(client, namespace, set, concerns);
  return found && { ...found, missing: missing ?? nudgedFor(found.set, name) };
}

function concerns(set: StatefulSet, policy: Policy | undefined): boolean {
  return !isBeingDeleted(set) && policy !== undefined && deletesAtOnce(policy);
}

const deletesAtOnce = ({ whenScaled, grace }: Policy) => whenScaled === "Delete" && grace === 0;

/** As far as an event shows. What the rule has noted of an earlier policy is looked at, too. */
function mayConcern(set: KubernetesObject): boolean {
  if (isBeingDeleted(set) || !hasTraces(set)) return false;
  const policy = notedPolicy(set);
  return !policy || deletesAtOnce(policy) || readProgress(set, name) !== undefined;
}

function subjects({ kind, change, namespace, name, object }: Hint): readonly Subject[] {
  if (!namespace) return [];
  if (kind === "StatefulSet") {
    return change !== "delete" && (!object || mayConcern(object))
      ? [{ kind: Sets, namespace, name, turn: change === "sweep" }]
      : [];
  }
  if (change !== "delete") return [];
  // A claim that the garbage collector took after its pod; of others, Kubernetes' controller sees by itself that they are gone.
  if (kind === "PersistentVolumeClaim")
    return !object || goesWithPod(object) ? [{ kind: PersistentVolumeClaim, namespace, name }] : [];
  if (kind !== "Pod") return [];
  const set = setOfPod(name, object);
  return set === undefined ? [] : [{ kind: Sets, namespace, name: set }];
}

function decide(facts: Facts, now: number): readonly Decision[] {
  // What `look` saw first may have changed while it read on: what it saw last counts.
  if (!facts) return [];
  const { set, policy, claims, missing } = facts;
  if (!concerns(set, policy)) {
    const because = `StatefulSet ${set.metadata.name} does not have its claims deleted at a scale-down any more.`;
    return missing === undefined || isBeingDeleted(set) ? [] : [{ about: set, kind: Sets, do: "leave", because }];
  }
  const decisions = claims.flatMap(
    (one) => (one.inRange ? (inUse(one, "Condemn") ?? noteUse(set, one)) : condemned(set, one)) ?? [],
  );
  return missing === undefined ? decisions : [...decisions, nudge(facts, missing, name, now)];
}

function goesWithPod({ metadata }: KubernetesObject): boolean {
  return (metadata.ownerReferences ?? []).some(({ kind, controller }) => kind === "Pod" && controller);
}
