import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { conflict } from "../failure.ts";
import { collectionOf } from "../kinds/resource-table.ts";
import { strategyOf } from "../kinds/strategies.ts";
import type { Strategy } from "../kinds/strategy.ts";
import { copyOf } from "../patch/copy.ts";
import type { DeleteOptions } from "../request/delete-options.ts";
import type { Resource } from "../resource.ts";
import { type State, timestamp, timestampAt } from "../state.ts";
import { type Stored, storedAs } from "../store/stored.ts";
import { removeObject } from "./replace.ts";

/** What became of an object that was asked to go. */
export interface Deletion {
  /** Its last state. */
  readonly stored: Stored;
  /** Whether it is gone, rather than waiting for its finalizers or its grace period. */
  readonly gone: boolean;
}

/**
 * Deletes an object, or begins to: finalizers and, of pods, the grace period hold it back. A DELETE of an object that
 * is already going may still change how its dependents go, and shorten the grace period. Throws 409 when a precondition
 * does not hold.
 */
export function deleteObject(state: State, resource: Resource, live: Stored, options: DeleteOptions): Deletion {
  const { dryRun } = options;
  checkPreconditions(resource, live, options);
  const strategy = strategyOf(resource);
  const object = copyOf(live.object);
  const grace = applyGracePeriod(state, strategy, object, options);
  if (grace === "pending") return { stored: live, gone: false };

  const finalizers = finalizersAfter(strategy, object, options);
  const changed = finalizers.join() !== (object.metadata.finalizers ?? []).join();
  if (finalizers.length > 0) object.metadata.finalizers = finalizers;
  else delete object.metadata.finalizers;
  const held = finalizers.length > 0 || (strategy.held?.(object) ?? false);
  if (grace === "none" && held) (strategy.markDeleting ?? markDeleting)(object, timestamp(state));

  const stored = grace === "set" || held || changed ? put(state, resource, live, object, dryRun) : live;
  if (held || (grace === "set" && Number(object.metadata.deletionGracePeriodSeconds) > 0)) {
    return { stored, gone: false };
  }
  return { stored: dryRun ? stored : removeObject(state, resource, stored), gone: true };
}

function put(state: State, resource: Resource, live: Stored, object: KubernetesObject, dryRun: boolean): Stored {
  if (isSame(object, live.object)) return live;
  if (dryRun) return storedAs(live.key, live.version, object);
  return state.store.put(collectionOf(resource), live.key, object);
}

/** A DELETE changes nothing but these. */
const isSame = ({ metadata: next }: KubernetesObject, { metadata: live }: KubernetesObject) =>
  next.deletionTimestamp === live.deletionTimestamp &&
  next.deletionGracePeriodSeconds === live.deletionGracePeriodSeconds &&
  next.finalizers?.join() === live.finalizers?.join();

/** Holds an object against the uid and the resourceVersion that a DELETE is meant for. Throws 409. */
export function checkPreconditions(resource: Resource, { object, version }: Stored, options: DeleteOptions): void {
  const { uid, name } = object.metadata;
  const kind = { ...resource, plural: resource.kind };
  if (options.uid !== undefined && options.uid !== uid) {
    const why =
      `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). ` +
      "The object might have been deleted and then recreated";
    throw conflict(kind, name, why);
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== String(version)) {
    const why =
      `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in ` +
      `record (${version}). The object might have been modified`;
    throw conflict(kind, name, why);
  }
}

/**
 * Gives a kind that ends gracefully the time it asks for, in place. `none`: the kind knows no grace period, or it is
 * over; `pending`: an earlier DELETE gave it no more time than this one.
 */
function applyGracePeriod(
  { clock }: State,
  { gracePeriod }: Strategy,
  object: KubernetesObject,
  { gracePeriodSeconds: asked }: DeleteOptions,
): "set" | "none" | "pending" {
  const { metadata } = object;
  if (metadata.deletionTimestamp) {
    const given = metadata.deletionGracePeriodSeconds ?? 0;
    if (given === 0) return "none";
    if (asked === undefined || asked >= given) return "pending";
    metadata.deletionTimestamp = timestampAt(Date.parse(metadata.deletionTimestamp) - (given - asked) * 1000);
    metadata.deletionGracePeriodSeconds = asked;
    return "set";
  }
  if (!gracePeriod) return "none";
  const seconds = gracePeriod(object, asked);
  metadata.deletionTimestamp = timestampAt(clock.now() + seconds * 1000);
  metadata.deletionGracePeriodSeconds = seconds;
  if (metadata.generation) metadata.generation++;
  return "set";
}

/**
 * How the garbage collector is to treat the dependents is said by two finalizers; a finalizer already there says it as
 * well.
 */
function finalizersAfter(
  { collected, deletionFinalizer }: Strategy,
  { metadata }: KubernetesObject,
  options: DeleteOptions,
): string[] {
  const finalizers = metadata.finalizers ?? [];
  if (collected === false) return finalizers;
  const policy =
    options.propagationPolicy ??
    (finalizers.includes("orphan") ? "Orphan" : finalizers.includes("foregroundDeletion") ? "Foreground" : undefined);
  const own = finalizers.filter((finalizer) => finalizer !== "orphan" && finalizer !== "foregroundDeletion");
  if (deletionFinalizer && !metadata.deletionTimestamp && !own.includes(deletionFinalizer)) own.push(deletionFinalizer);
  if (policy === "Orphan") return [...own, "orphan"];
  if (policy === "Foreground") return [...own, "foregroundDeletion"];
  return own;
}

function markDeleting({ metadata }: KubernetesObject, now: string): void {
  if (!metadata.deletionTimestamp && metadata.generation) metadata.generation++;
  metadata.deletionTimestamp ??= now;
  metadata.deletionGracePeriodSeconds = 0;
}
