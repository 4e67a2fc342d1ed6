import type { Decision } from "../../../shared/decision.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { StatefulSet as Sets } from "../../../shared/kubernetes/kind.ts";
import { readProgress } from "../../../shared/progress.ts";
import type { SetAndClaims } from "../../../shared/retention/look-at-set.ts";
import { isInRange, podName, type StatefulSet } from "../../../shared/retention/stateful-set.ts";
import { originOf } from "../../../shared/retention/template-claims.ts";

const step = "nudged";
/** So long Kubernetes' controller gets to make a claim before it is nudged again. Milliseconds. */
const patience = 15_000;
/** So often; then something else keeps it from making the claim. */
const enough = 4;

/**
 * The set that wants a claim of this name, which is not there; `undefined` when none does. Several are rivals, and whose
 * claim it was cannot be told.
 */
export async function setThatLacks(
  client: Client,
  namespace: string | undefined,
  claim: string,
): Promise<string | undefined> {
  const wanting: string[] = [];
  for await (const set of client.list<StatefulSet>(Sets, namespace ? { namespace } : {})) {
    const ordinal = originOf(set, named(claim, set))?.ordinal;
    if (ordinal !== undefined && isInRange(set, ordinal)) wanting.push(set.metadata.name);
  }
  return wanting.length === 1 ? wanting[0] : undefined;
}

/**
 * A claim that the set lacks although nothing is left that its controller could be waiting for: all its pods are ready, and they are too
 * few. It is how a set looks that nobody was told of. One that grows looks the same for a moment, so this is for its turn in
 * the sweep.
 */
export function lackedClaim({ set, claims }: SetAndClaims): string | undefined {
  const { metadata, spec } = set;
  const status = (set.status ?? {}) as { replicas?: number; readyReplicas?: number; observedGeneration?: number };
  const atRest = status.observedGeneration === metadata.generation && status.replicas === (status.readyReplicas ?? 0);
  if (!atRest || (status.replicas ?? 0) >= (spec.replicas ?? 1)) return undefined;
  const there = new Set(claims.map(({ claim }) => claim.metadata.name));
  const start = spec.ordinals?.start ?? 0;
  for (let ordinal = start; isInRange(set, ordinal); ordinal++)
    for (const template of spec.volumeClaimTemplates ?? []) {
      const name = `${template.metadata.name}-${podName(set, ordinal)}`;
      if (!there.has(name)) return name;
    }
  return undefined;
}

/** The claim that the set was last nudged for. */
export function nudgedFor(set: StatefulSet, ruleName: string): string | undefined {
  const progress = readProgress(set, ruleName);
  return progress?.step === step && typeof progress.claim === "string" ? progress.claim : undefined;
}

/**
 * Changes the set when a claim that it wants is gone. Kubernetes' own controller makes no pod while a claim belongs to an
 * earlier pod of its name, and forgets the set: up to 1.36 it does not look again when the claim has gone, until
 * something of the set changes. A scale-up right behind a scale-down would stay half done.
 */
export function nudge({ set, claims }: SetAndClaims, missing: string, ruleName: string, now: number): Decision {
  const subject = { about: set, kind: Sets };
  const title = `StatefulSet ${set.metadata.name}`;
  const ordinal = originOf(set, named(missing, set))?.ordinal;
  const isThere = claims.some(({ claim }) => claim.metadata.name === missing);
  const { replicas = 0 } = (set.status ?? {}) as { replicas?: number };
  const lacks = ordinal !== undefined && isInRange(set, ordinal) && !isThere && replicas < (set.spec.replicas ?? 1);
  if (!lacks || isBeingDeleted(set))
    return { ...subject, do: "leave", because: `${title} lacks no claim ${missing}, or does not want it any more.` };
  const before = nudgedFor(set, ruleName) === missing ? readProgress(set, ruleName) : undefined;
  const attempt = (before?.attempt ?? 0) + 1;
  const because = `${title} wants claim ${missing}, which is not there: it is changed, so that Kubernetes makes the claim anew.`;
  if (attempt > enough)
    return {
      ...subject,
      do: "leave",
      because: `${title} was changed ${enough} times and still lacks claim ${missing}.`,
    };
  if (now < Date.parse(before?.next ?? "")) return { ...subject, do: "wait", because };
  return {
    ...subject,
    do: "wait",
    because,
    step: { name: step, attempt, details: { claim: missing } },
    next: now + patience,
  };
}

/** A claim of which only the name is left, taken to have carried what the set's own carry. */
function named(name: string, { spec }: StatefulSet) {
  const labels = spec.selector?.matchLabels ?? {};
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name, uid: "", resourceVersion: "", labels } };
}
