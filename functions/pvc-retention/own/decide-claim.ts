import type { Decision, Step } from "../../../shared/decision.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { annotationOperations } from "../../../shared/kubernetes/guarded-patch.ts";
import { PersistentVolumeClaim, StatefulSet as Sets } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject, OwnerReference } from "../../../shared/kubernetes/object.ts";
import { nextProgress, progressKey, readProgress } from "../../../shared/progress.ts";
import { isFromBefore } from "../../../shared/retention/from-before.ts";
import { keptBecause } from "../../../shared/retention/hands-off.ts";
import type { TemplateClaim } from "../../../shared/retention/look-at-set.ts";
import {
  changeOwners,
  controlledBy,
  isLeftBehind,
  isOurs,
  owningRule as name,
  type Owners,
  ownersIn,
} from "../../../shared/retention/owner-references.ts";
import type { StatefulSet } from "../../../shared/retention/stateful-set.ts";
import { warnings } from "../../../shared/retention/warnings.ts";
import type { Ownership } from "./ownership.ts";

/** So often a reference that somebody takes away is put back. */
const patience = 3;
/** Taken away later than this after it was put on, it is put on as if for the first time. Milliseconds. */
const fightWindow = 3_600_000;

const { conflicting, fought } = warnings[name];
const relabelledClaim = "ClaimRelabelled";

/** The Event that each step was told by. */
const told: Readonly<Record<string, string>> = { conflicting, "fought-over": fought };

/** What is to be done about one claim of a set that lives; `undefined` where it is right, or not ours to touch. */
export function decideClaim(
  set: StatefulSet,
  one: TemplateClaim,
  ownership: Ownership,
  now: number,
): Decision | undefined {
  const { claim, inRange, pod, rival, relabelled } = one;
  if (rival || isBeingDeleted(claim)) return undefined;
  if (ownership.inTree && pod) return undefined;
  const owners = ownersIn(set, one);
  // What is condemned is condemn's, but for a claim that stays all the same: it is not to go with the set either.
  const isKept = keptBecause(one, owners) !== undefined || (!pod && isFromBefore(set, claim));
  if (!inRange && ownership.condemned && (ownership.toSet || !isKept)) return undefined;
  // Its owner of the same name is another incarnation: whose claim it is now, nobody can tell.
  if (owners.stale) return undefined;
  if (!ownership.toSet) {
    const left = [owners.set].filter((reference) => reference !== undefined && isLeftBehind(reference, set, pod));
    return disown(claim, set, [...removable(owners, ownership), ...(left as OwnerReference[])]);
  }
  // Whether it is the set's, nobody can tell; a reference that it carries is as good as its own.
  if (relabelled) return owners.set ? undefined : leave(claim, set);
  if (owners.foreignController) return yieldTo(owners.foreignController, claim, set, removable(owners, ownership), now);
  return giveToSet(claim, set, owners, pod, now);
}

/** Before the field was there, whatever named the set or its pod was the rules' own; since, only what looks like ours is. */
function removable({ set, pod }: Owners, { inTree }: Ownership): readonly OwnerReference[] {
  return [set, pod].filter(
    (reference) => reference !== undefined && (!inTree || isOurs(reference)),
  ) as OwnerReference[];
}

function disown(claim: KubernetesObject, set: StatefulSet, remove: readonly OwnerReference[]): Decision | undefined {
  const before = readProgress(claim, name);
  const subject = { about: claim, kind: PersistentVolumeClaim, retract: toldBy(before?.step) };
  const because = `Claim ${claim.metadata.name} is not to go with StatefulSet ${set.metadata.name} by itself: it belongs to nobody.`;
  if (remove.length === 0) return before && { ...subject, do: "leave", because };
  const forgotten = annotationOperations(claim, { [progressKey(name)]: null });
  return { ...subject, do: "write", because, writes: [changeOwners(claim, remove, undefined, forgotten)] };
}

/** The pods of the set use it by its name, and it stays when the set goes. */
function leave(claim: KubernetesObject, set: StatefulSet): Decision {
  const because =
    `Claim ${claim.metadata.name} will not go with StatefulSet ${set.metadata.name}, because its labels are not those of the set's claims. ` +
    "Give it those that the volumeClaimTemplate has if it is to, or delete it by hand.";
  const notice = { type: "Normal", reason: relabelledClaim, action: "Own", note: because } as const;
  return { about: claim, kind: PersistentVolumeClaim, do: "tell", because, notice };
}

/** One controller per object, says the API: where there is another, Kubernetes' own controller adds nothing either. */
function yieldTo(
  { kind, name: controller }: OwnerReference,
  claim: KubernetesObject,
  set: StatefulSet,
  remove: readonly OwnerReference[],
  now: number,
): Decision {
  const before = readProgress(claim, name);
  const because =
    `Claim ${claim.metadata.name} is controlled by ${kind} ${controller} and will not go with StatefulSet ${set.metadata.name}. ` +
    "Remove that owner reference if it is to, or delete the claim yourself.";
  const step = { name: "conflicting", details: { controller: `${kind}/${controller}` } };
  const subject = {
    about: claim,
    kind: PersistentVolumeClaim,
    because,
    notice: { type: "Warning", reason: conflicting, action: "Own", note: because },
    retract: toldBy(before?.step, conflicting),
  } as const;
  if (remove.length === 0) return { ...subject, do: "wait", step };
  return {
    ...subject,
    do: "write",
    writes: [changeOwners(claim, remove, undefined, noted(claim, step, because, now))],
  };
}

function giveToSet(
  claim: KubernetesObject,
  set: StatefulSet,
  owners: Owners,
  pod: KubernetesObject | undefined,
  now: number,
): Decision | undefined {
  const before = readProgress(claim, name);
  const subject = { about: claim, kind: PersistentVolumeClaim };
  if (owners.set?.controller && !owners.pod) {
    const because = `Claim ${claim.metadata.name} belongs to StatefulSet ${set.metadata.name}.`;
    // Kubernetes' controller gave it, and does not take it back where there is no pod: the note tells forgive, whatever becomes of the set's.
    const isUnnoted = !pod && before?.owner !== set.metadata.uid;
    if (isUnnoted) {
      const step = {
        name: "owned",
        attempt: 1,
        details: { owner: set.metadata.uid, given: new Date(now).toISOString() },
      };
      return { ...subject, do: "wait", because, step, retract: toldBy(before?.step) };
    }
    return told[before?.step ?? ""] === undefined
      ? undefined
      : { ...subject, do: "leave", because, retract: toldBy(before?.step) };
  }
  const { uid } = set.metadata;
  const strip = owners.set === undefined && before?.owner === uid;
  const attempt = strip ? attemptAfter(before, now) : 1;
  if (attempt > patience) {
    const because =
      `The reference to StatefulSet ${set.metadata.name} was put on claim ${claim.metadata.name} ${patience} times and taken away as often: it is left off, and the claim will not go with the set. ` +
      `Find out who edits the claim's ownerReferences, then remove the annotation ${progressKey(name)}.`;
    const notice = { type: "Warning", reason: fought, action: "Own", note: because } as const;
    const step = { name: "fought-over", attempt, details: { owner: uid } };
    return { ...subject, do: "stop", because, step, notice, retract: toldBy(before?.step, fought) };
  }
  const because = `Claim ${claim.metadata.name} is given to StatefulSet ${set.metadata.name}, so that it goes with it.`;
  const step = { name: "owned", attempt, details: { owner: uid, given: new Date(now).toISOString() } };
  const remove = [owners.set, owners.pod].filter((reference) => reference !== undefined);
  const write = changeOwners(claim, remove, controlledBy(Sets, set.metadata), noted(claim, step, because, now));
  return { ...subject, do: "write", because, writes: [write], retract: toldBy(before?.step) };
}

function attemptAfter(before: ReturnType<typeof readProgress>, now: number): number {
  if (before?.step === "fought-over") return patience + 1;
  const recent = now - Date.parse(String(before?.given)) < fightWindow;
  return recent ? (before?.attempt ?? 1) + 1 : 1;
}

/** The progress annotation as part of the patch that makes it true. */
function noted(claim: KubernetesObject, step: Step, because: string, now: number): readonly object[] {
  const text = nextProgress(claim, name, step, because, now);
  return text === undefined ? [] : annotationOperations(claim, { [progressKey(name)]: text });
}

/** The Event to take back after a step, unless it is `still` true. */
function toldBy(step: string | undefined, still?: string): readonly string[] {
  const reason = told[step ?? ""];
  return reason !== undefined && reason !== still ? [reason] : [];
}
