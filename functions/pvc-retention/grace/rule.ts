import * as z from "zod";
import type { Decision } from "../../../shared/decision.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { Event, Namespace, PersistentVolumeClaim, Pod, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { lookAtSet, type SetAndClaims } from "../../../shared/retention/look-at-set.ts";
import { deleteTime, markingRule, readMark } from "../../../shared/retention/mark.ts";
import { setOfPod } from "../../../shared/retention/pod-set.ts";
import type { Policy } from "../../../shared/retention/policy.ts";
import { hasTraces } from "../../../shared/retention/traces.ts";
import { on, rule, type Subject } from "../../../shared/rule.ts";
import { decideOfSet } from "./decide.ts";
import { decideOfClaim } from "./due.ts";
import { lookAtClaim, type MarkedClaim } from "./look.ts";

/** A set with its claims, whose marks are kept right; or one claim, which may be deleted. */
export type Facts = { readonly set: SetAndClaims } | { readonly claim: MarkedClaim } | undefined;

export const grace = rule({
  name: markingRule,
  doc: "Keeps a claim that would be deleted for a while first: it marks the claim with the time, and deletes it then and not before.",
  settings: z.object({}),
  wakes: [on(StatefulSet, ["update"]), on(Pod, ["delete"]), on(PersistentVolumeClaim, ["update"])],
  may: [
    { resource: StatefulSet, verbs: ["get", "list"] },
    { resource: Namespace, verbs: ["get"] },
    { resource: PersistentVolumeClaim, verbs: ["get", "list", "patch", "delete"] },
    { resource: Pod, verbs: ["get", "list"] },
    { resource: Event, verbs: ["create", "get", "delete"] },
  ],
  sweep: [{ kind: PersistentVolumeClaim }, { kind: StatefulSet }],
  concurrency: 100,
  subjects,
  look: async ({ kind, namespace, name = "" }, { client }): Promise<Facts> => {
    if (kind.kind === "PersistentVolumeClaim") {
      const claim = await lookAtClaim(client, namespace, name);
      return claim && { claim };
    }
    const set = await lookAtSet(client, namespace, name, (_, policy) => policy !== undefined, matters);
    return set && { set };
  },
  decide: (facts, now): readonly Decision[] => {
    if (!facts) return [];
    return "set" in facts ? decideOfSet(facts.set, now) : decideOfClaim(facts.claim, now);
  },
});

/** Most sets have no delay, and their claims no mark. */
const matters = (claim: KubernetesObject, policy: Policy | undefined) =>
  (policy?.grace ?? 0) > 0 || readMark(claim) !== undefined;

function subjects({ kind, change, namespace, name, object }: Hint): readonly Subject[] {
  if (!namespace) return [];
  if (kind === "Pod") {
    const set = change === "delete" ? setOfPod(name, object) : undefined;
    return set === undefined ? [] : [{ kind: StatefulSet, namespace, name: set }];
  }
  if (change === "delete") return [];
  if (kind === "StatefulSet") return !object || hasTraces(object) ? [{ kind: StatefulSet, namespace, name }] : [];
  if (kind !== "PersistentVolumeClaim" || (object && !isChanged(object))) return [];
  return [{ kind: PersistentVolumeClaim, namespace, name }];
}

/** Whether somebody has changed a claim's mark: our own write comes back as an event, too. */
function isChanged(claim: KubernetesObject): boolean {
  const mark = readMark(claim);
  if (!mark || isBeingDeleted(claim)) return false;
  if (mark.step === "saved") return deleteTime(claim) !== undefined;
  return (
    mark.step === "unreadable" ||
    mark.cause === "set-deleting" ||
    deleteTime(claim) !== Date.parse(mark.progress.next ?? "")
  );
}
