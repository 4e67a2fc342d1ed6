import { about } from "./about.ts";
import type { Decision } from "./decision.ts";
import { addFinalizers, hasFinalizer, isBeingDeleted, removeFinalizer } from "./kubernetes/finalizer.ts";
import type { Kind } from "./kubernetes/kind.ts";
import { describe, type KubernetesObject, referenceTo } from "./kubernetes/object.ts";

/**
 * Adds to decisions what holds an object, with a finalizer, for those of them that rest on its being there: before
 * these it gets the finalizer, or is read once more where it has it; behind them it is read again, and another look is
 * called for where it was deleted meanwhile. It is held from then on: a run that sees nothing rest on it cannot know of
 * another one that is under way. When it is being deleted the finalizer leaves, after all else has succeeded.
 *
 * `object`, which is undefined where it is gone, must have been read before what the decisions are about: what comes to
 * rest on it after that read is undone by the reader that reads last.
 */
export function held(
  kind: Kind,
  object: KubernetesObject | undefined,
  finalizer: string,
  decisions: readonly Decision[],
  rests: (decision: Decision) => boolean,
): readonly Decision[] {
  const ordered = decisions.map((decision) =>
    decision.do === "write" && rests(decision) ? { ...decision, order: 1 } : decision,
  );
  if (!object) return ordered;
  const { write } = about(kind, object);
  const name = describe(referenceTo(object));
  const isHeld = hasFinalizer(object, finalizer);
  if (isBeingDeleted(object)) {
    const message = `${name} is being deleted, and nothing rests on it any more: ${finalizer} is removed.`;
    const last = write(message, [removeFinalizer(kind, object, finalizer)], { order: 1 });
    return isHeld ? [...ordered, last] : ordered;
  }
  const { uid, namespace } = object.metadata;
  const holds = (live: KubernetesObject | undefined) => live?.metadata.uid === uid && !isBeingDeleted(live);
  const preconditions = [{ kind, namespace, name: object.metadata.name, holds }];
  const check = (order: number, more: { readonly concern?: string } = {}) =>
    write(`${name} is still there.`, [], { preconditions, order, ...more });
  const adding = `${name} gets the finalizer ${finalizer}, because something is to rest on it.`;
  // A patch of an object that is gone counts as done: only the preconditions see that.
  const add = () => write(adding, [addFinalizers(kind, object, [finalizer])], { preconditions });
  const resting = decisions.filter(rests);
  const isNew = resting.some((decision) => decision.do === "write" && decision.writes.length > 0);
  const first = resting.length > 0 && !isHeld ? [add()] : isNew ? [check(0)] : [];
  // Behind those that rest on it also where another of them has failed: its own concern is the object alone.
  return [...ordered, ...first, ...(isNew ? [check(2, { concern: name })] : [])];
}
