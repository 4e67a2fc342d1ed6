import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Truth } from "../invariants/invariant.ts";
import type { Change } from "../world/change.ts";
import { shop } from "../world/namespace.ts";
import { hasLabels, isWanted, ordinalOf, type Policy, policyOf, type SetLike } from "./words.ts";

/** A set as it was for a while, with what was in force for it. */
export interface Moment {
  /** `undefined` once it was gone. */
  readonly set: SetLike | undefined;
  readonly policy: Policy | undefined;
  /** Whether it was deleted with `--cascade=orphan`, now or before. */
  readonly orphaned: boolean;
  /** The sets of the namespace that there were. */
  readonly sets: readonly SetLike[];
}

/**
 * Milliseconds between what a function reads last and the write that rests on it, at most: two ways over a slow network. What
 * changes within them nobody can have seen.
 */
export const unseen = 8_000;

/** How a set of this name stood in the last `ms` milliseconds, in no order: as it is now, and as it was before each change. */
export function momentsOf(truth: Truth, name: string, ms = unseen): readonly Moment[] {
  const now = truth.changes.at(-1)?.at ?? 0;
  return between(truth, name, now - ms, now);
}

/** How a set stood when it went, or stands, being there. */
export function lastMomentsOf(truth: Truth, { metadata: { name, uid } }: SetLike): readonly Moment[] {
  const { changes } = truth;
  const last = changes.findLast(({ object }) => object.metadata.uid === uid);
  const end = last?.after ? changes.at(-1)?.at : last?.at;
  return between(truth, name, (end ?? 0) - unseen, end ?? 0);
}

function between(truth: Truth, name: string, from: number, to: number): readonly Moment[] {
  return scenes(truth, from, to).map(({ at, sets, home }) => {
    const set = sets.find(({ metadata }) => metadata.name === name);
    return {
      set,
      policy: set && policyOf(set, home),
      sets,
      orphaned: set !== undefined && wasOrphaned(truth, set, at),
    };
  });
}

function wasOrphaned({ changes }: Truth, { metadata }: SetLike, at: number): boolean {
  return changes.some(
    ({ object, after, at: then }) =>
      then <= at && object.metadata.uid === metadata.uid && after?.metadata.finalizers?.includes("orphan"),
  );
}

interface Scene {
  /** Since when. */
  readonly at: number;
  readonly sets: readonly SetLike[];
  readonly home: KubernetesObject | undefined;
}

/** What there was of sets and of their namespace at any time from `from` to `to`, told backwards from what there is now. */
function scenes({ changes, chronicle }: Truth, from: number, to: number): readonly Scene[] {
  let scene: Omit<Scene, "at"> = {
    sets: chronicle.live("StatefulSet") as readonly SetLike[],
    home: chronicle.live("Namespace").find(({ metadata }) => metadata.name === shop),
  };
  let until = Number.POSITIVE_INFINITY;
  const found: Scene[] = [];
  for (let index = changes.length - 1; index >= 0 && until >= from; index--) {
    const change = changes[index] as Change;
    const { kind, metadata } = change.object;
    if (kind !== "StatefulSet" && !(kind === "Namespace" && metadata.name === shop)) continue;
    if (change.at <= to) found.push({ ...scene, at: change.at });
    until = change.at;
    scene = before(scene, change);
  }
  if (until >= from) found.push({ ...scene, at: 0 });
  return found;
}

function before({ sets, home }: Omit<Scene, "at">, { object, before }: Change): Omit<Scene, "at"> {
  if (object.kind !== "StatefulSet") return { sets, home: before };
  const others = sets.filter(({ metadata }) => metadata.uid !== object.metadata.uid);
  return { home, sets: before ? [...others, before as SetLike] : others };
}

/** The sets whose templates yield the claim's name at this moment. */
export const yielding = (sets: readonly SetLike[], claim: KubernetesObject) =>
  sets.filter((set) => ordinalOf(set, claim.metadata.name) !== undefined);

/** Whether at this moment the claim was one that its set did not want any more, and was to lose. */
export function isCondemned({ set, policy, sets }: Moment, claim: KubernetesObject): boolean {
  const ordinal = set && ordinalOf(set, claim.metadata.name);
  if (!set || ordinal === undefined || !hasLabels(set, claim) || yielding(sets, claim).length > 1) return false;
  return !set.metadata.deletionTimestamp && policy?.whenScaled === "Delete" && !isWanted(set, ordinal);
}

/** Whether at this moment the claim was to go with its set, should that be deleted. */
export function goesWithSet({ set, policy, sets, orphaned }: Moment, claim: KubernetesObject): boolean {
  if (!set || orphaned || !hasLabels(set, claim) || yielding(sets, claim).length > 1) return false;
  return ordinalOf(set, claim.metadata.name) !== undefined && policy?.whenDeleted === "Delete";
}

/** Every set that ever was and whose templates yield the claim's name, as it was last; the youngest at the end. */
export function setsEver({ changes }: Truth, claim: KubernetesObject): readonly SetLike[] {
  const last = new Map<string, SetLike>();
  for (const { object } of changes) {
    if (object.kind !== "StatefulSet" || ordinalOf(object as SetLike, claim.metadata.name) === undefined) continue;
    last.set(object.metadata.uid, object as SetLike);
  }
  return [...last.values()];
}
