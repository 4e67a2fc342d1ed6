import type { StepContext } from "../../../shared/chain/chain-rule.ts";
import type { Known } from "../../../shared/chain/facts.ts";
import type { Decision } from "../../../shared/decision.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { type Kind, Node, Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { on } from "../../../shared/rule.ts";
import { warning } from "../../../shared/steps.ts";
import type { Subject } from "../../../shared/subject.ts";
import { agentsIn, deletePod } from "./agent-pod.ts";
import { type Dependent, lateFor } from "./dependent.ts";
import { finalizerOf } from "./names.ts";
import { hasLock, lockOf, setLock } from "./node-lock.ts";

/** What letting a resource go waits for, in a sentence that begins with why it may go. */
export function whileLettingGo({ object, pods }: Dependent, why: string): string {
  if (pods.length > 0)
    return `${why}. Waiting for pods to go: ${pods.map(({ metadata }) => metadata.name).join(", ")}.`;
  return isBeingDeleted(object)
    ? `${why} and its pods are gone: the lock is removed from the Node, and the resource is released.`
    : `${why}, and its pods and its lock are gone. They come back when the L2 or OVN agent of the Node is ready.`;
}

/** Takes the label off the Node by which another operator's pods come: it deletes them then, and creates none. */
export function unschedule({ object, node }: Dependent): readonly Write[] {
  const key = object.spec.selector?.schedulingLabel.key;
  const isOn = key !== undefined && node?.metadata.labels?.[key] !== undefined;
  return isOn && node ? [annotate(Node, node, {}, { [key]: null })] : [];
}

/** Between two looks that find a host or an agent empty, in milliseconds: something may have been on its way to it. */
export const emptyTwiceAfter = 5000;

/** What the rules that let resources go declare; `record`: the annotation of an eviction that is under way. */
export const lettingGo = (kinds: readonly Kind[], standsFor: string, record: string) => ({
  triggers: [...kinds.map((kind) => on(kind, ["update"])), on(Pod, ["delete"])],
  steps: { shared: warning("EvictionStuck") },
  subjects: (hint: Hint, own: readonly Subject[]) => [...own, ...agentsIn(hint, kinds)],
  finalizers: kinds.map((kind) => ({
    ...{ kind, finalizer: finalizerOf(kind), standsFor },
    isUnderWay: ({ metadata }: KubernetesObject) => metadata.annotations?.[record] !== undefined,
  })),
});

/** Another resource on the Node whose lock has the same name. */
export interface Sharer {
  /** Why the lock stays, and what to do. */
  readonly message: string;
  /** This resource is being deleted and may go before, without the lock: the other one takes it off in the end. */
  readonly takesOver: boolean;
  /** Neither goes before a person acts. */
  readonly isStuck: boolean;
}

/**
 * What goes of what nothing has needed `since`: its pods, its lock unless a `sharer` has it, too, and by `release` the
 * resource.
 */
export function letGo(
  context: StepContext<Dependent, Known>,
  since: string | undefined,
  release: Write,
  sharer: Sharer | undefined,
): readonly Decision[] {
  const { object, node, pods, wanted, standing, now, next, about, act, pause, shows, wait } = context;
  // It is at rest until a person wants it otherwise, which comes as an event: then only the sweep looks.
  if (wanted !== "go") return [pause(standing.message, now - Date.parse(since ?? "") < lateFor ? next : undefined)];
  const own = object.spec.template ? pods.filter((pod) => !isBeingDeleted(pod)) : [];
  // The label goes before the lock also where no pod is there: one might come.
  const goes = [...unschedule(context), ...own.map((pod) => deletePod(pod))];
  if (goes.length > 0) return [act(standing.message, goes)];
  if (pods.length > 0) return [wait()];
  const lock = lockOf(object);
  if (node && hasLock(node, lock) && !sharer?.takesOver) {
    if (!sharer) return [act(standing.message, [setLock(node, lock, false)])];
    const { message, isStuck } = sharer;
    if (!isStuck) return [pause(message, next)];
    return [about.write(message, shows({ message, stuck: true }), { step: { name: "shared" }, next })];
  }
  if (!isBeingDeleted(object)) return [pause(standing.message, next)];
  return [about.write(standing.message, [release])];
}
