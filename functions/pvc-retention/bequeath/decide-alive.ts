import type { Decision } from "../../../shared/decision.ts";
import { addFinalizers, hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { StatefulSet as Sets } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readProgress } from "../../../shared/progress.ts";
import { deletingRule as name } from "../../../shared/retention/cascade.ts";
import { isHeldByOthers } from "../../../shared/retention/field-managers.ts";
import type { SetAndClaims } from "../../../shared/retention/look-at-set.ts";
import { notedPolicy } from "../../../shared/retention/noted-policy.ts";
import type { Policy } from "../../../shared/retention/policy.ts";
import { projected, projectedStep } from "../../../shared/retention/projected.ts";
import { retentionInForce, type StatefulSet } from "../../../shared/retention/stateful-set.ts";
import { retentionFinalizer } from "../../../shared/retention/traces.ts";
import { tiedTo } from "./claims.ts";
import { keeping, letGo, wait } from "./steps.ts";

/** So often it is looked whether the claims of a set that lives have been released, and for so long. Milliseconds. */
const recheck = 5_000;
const longWait = 600_000;

/** Puts the finalizer on a set whose deletion is to wait for us, and takes it off one whose claims are kept once nothing ties them to it. */
export function decideAlive(facts: SetAndClaims, now: number): readonly Decision[] {
  const { set, policy } = facts;
  const title = `StatefulSet ${set.metadata.name}`;
  const subject = { about: set, kind: Sets };
  const wanted = isWanted(set, policy);
  const isHeld = hasFinalizer(set, retentionFinalizer);
  if (!isHeld) {
    if (!wanted) return [];
    const because = `${title} gets ${retentionFinalizer}, so that its deletion waits until its claims are seen to.`;
    return [{ ...subject, do: "write", because, writes: [addFinalizers(Sets, set, [retentionFinalizer])] }];
  }
  if (wanted) return forget(set);
  const left = isFieldOfOthers(facts) ? 0 : tiedTo(facts);
  if (left === 0) return [letGo(set, `The policy of ${title} keeps its claims: ${retentionFinalizer} is removed.`)];
  const because =
    `The policy of ${title} keeps its claims, and ${left} of them still refer to it: ` +
    `${retentionFinalizer} stays until they do not, because they would go with the set.`;
  // Nobody's event tells that the last reference is gone. One that stays for long is somebody's, and is looked at now and then.
  const before = wasKeeping(set) ? readProgress(set, name) : undefined;
  const since = Date.parse(before?.since ?? "") || now;
  const promised = Date.parse(before?.next ?? "");
  // A time that has not come is left as it is: our own write wakes us.
  const next = promised > now ? promised : now + recheck;
  return [{ ...wait(set, { name: keeping, details: { left } }, because), ...(now - since < longWait ? { next } : {}) }];
}

/** Whether the set's deletion is to wait for us. */
export function isWanted({ spec }: StatefulSet, policy: Policy | undefined): boolean {
  return policy?.whenDeleted === "Delete" && (spec.volumeClaimTemplates?.length ?? 0) > 0;
}

/** Whether a set lives and its finalizer is as its policy wants it, as far as an event shows. */
export function isSettled(object: KubernetesObject): boolean {
  const policy = isBeingDeleted(object) ? undefined : notedPolicy(object);
  const set = object as StatefulSet;
  if (!policy || !set.spec || wasKeeping(set)) return false;
  return isWanted(set, policy) === hasFinalizer(set, retentionFinalizer);
}

/** The policy has turned to keeping and back again. */
function forget(set: StatefulSet): readonly Decision[] {
  const because = `The claims of StatefulSet ${set.metadata.name} are to go with it.`;
  return wasKeeping(set) ? [{ about: set, kind: Sets, do: "leave", because }] : [];
}

const wasKeeping = (set: StatefulSet) => readProgress(set, name)?.step === keeping;

/**
 * Whether the field deletes claims because somebody else wants it to, so that references to the set are as they are to be. What is
 * left in it without a policy, when project has given back what was ours, is somebody else's.
 */
export function isFieldOfOthers({ set, policy }: Pick<SetAndClaims, "set" | "policy">): boolean {
  if (retentionInForce(set)?.whenDeleted !== "Delete") return false;
  // Of a field that no manager is noted for nobody knows whose it is: the claims are kept.
  if (!policy) return isHeldByOthers(set);
  const step = projectedStep(set);
  return step === projected.held || step === projected.foughtOver;
}
