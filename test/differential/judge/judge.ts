import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Change } from "../../harness/simulated/change.ts";
import type { Played } from "../play/play.ts";
import { controllerOf, mounts, type PodObject, type SetObject } from "../play/side.ts";
import { keeps } from "../sequence/policy.ts";

/** One claim from its creation to its end. */
interface Life {
  readonly name: string;
  readonly uid: string;
  readonly from: number;
  /** When it was deleted, which nothing takes back; absent while it is alive. */
  to?: number;
  /** The last state that was seen of it before it was deleted. */
  last: KubernetesObject;
}

/** What has become of claims on both sides of a run. */
export interface Verdict {
  /** Claims that are alive beside plain Kubernetes and lost in ours, as sentences. */
  readonly lost: readonly string[];
  /** Claims that ours has lost by the one exception, by name. */
  readonly excused: readonly string[];
  /** How many claims are alive beside plain Kubernetes, and how many it has deleted. */
  readonly kept: number;
  readonly gone: number;
}

type Sides = { readonly plain: readonly Change[]; readonly ours: readonly Change[] };

/**
 * The law: every claim that is alive beside plain Kubernetes is alive in ours, and is the same one. A claim of plain
 * Kubernetes has its twin in ours: of one that a user has made by hand, what the same operation made there; of any
 * other, the first of its name that is alive when Kubernetes' own controllers have come to rest after it was made, or
 * later.
 */
export function judge({ plain, ours }: Sides, { twins, settledAt, taking }: Played): Verdict {
  const lives = livesOf(ours);
  const all = livesOf(plain);
  const alive = all.filter(({ to }) => to === undefined);
  const excused: string[] = [];
  const lost: string[] = [];
  for (const claim of alive) {
    const rested = settledAt.find((at) => at > claim.from) ?? Number.POSITIVE_INFINITY;
    const twin = twins.has(claim.uid)
      ? lives.find(({ uid }) => uid === twins.get(claim.uid))
      : lives.find(({ name, to = Number.POSITIVE_INFINITY }) => name === claim.name && to > rested);
    if (twin?.to === undefined) continue;
    if (isTakenAlong(twin, ours, taking)) excused.push(claim.name);
    else lost.push(`Claim ${claim.name} is alive beside plain Kubernetes, and was deleted in ours.`);
  }
  return { lost, excused, kept: alive.length, gone: all.length - alive.length };
}

/**
 * The exception, which KEP-1847 asks for and Kubernetes' own controller does not do: with a set that is deleted by a
 * cascade, and whose claims are to go then, go those without a pod, too. From what was observed alone: the claim
 * belonged to this very set, whose field said Delete; a pod of this very set had mounted it; it still had the set's
 * labels if ever it had; and no pod of anybody else's mounted it.
 */
function isTakenAlong(
  { uid, name, to = 0, last }: Life,
  ours: readonly Change[],
  taking: ReadonlySet<string>,
): boolean {
  const owners = (last.metadata.ownerReferences ?? []).map((owner) => owner.uid);
  const changes = ours.filter(({ at }) => at <= to);
  return owners.some((owner) => {
    if (!taking.has(owner)) return false;
    const set = changes.findLast(({ object }) => object.metadata.uid === owner)?.object as SetObject | undefined;
    if (!set || (set.spec.persistentVolumeClaimRetentionPolicy ?? keeps).whenDeleted !== "Delete") return false;
    const pods = changes.filter(({ object }) => object.kind === "Pod" && mounts(object as PodObject, name));
    const others = pods.filter(({ object }) => controllerOf(object) !== owner);
    const mounted = others.some(({ object }) => isThere(changes, object));
    const used = pods.some(({ object }) => controllerOf(object) === owner);
    const wears = ({ metadata }: KubernetesObject) =>
      Object.entries(set.spec.selector.matchLabels).every(([key, value]) => metadata.labels?.[key] === value);
    const wore = changes.some(({ object }) => object.metadata.uid === uid && wears(object));
    return used && !mounted && (wears(last) || !wore);
  });
}

/** Whether an object is there after these changes. */
const isThere = (changes: readonly Change[], { metadata }: KubernetesObject): boolean =>
  changes.findLast(({ object }) => object.metadata.uid === metadata.uid)?.after !== undefined;

function livesOf(changes: readonly Change[]): readonly Life[] {
  const lives = new Map<string, Life>();
  for (const { at, after, object } of changes) {
    if (object.kind !== "PersistentVolumeClaim") continue;
    const { uid, name } = object.metadata;
    const life: Life = lives.get(uid) ?? { uid, name, from: at, last: object };
    lives.set(uid, life);
    if (life.to !== undefined) continue;
    if (after && !after.metadata.deletionTimestamp) life.last = after;
    else life.to = at;
  }
  return [...lives.values()];
}
