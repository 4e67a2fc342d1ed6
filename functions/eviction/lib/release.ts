import type { StepContext } from "../../../shared/chain/chain-rule.ts";
import type { Known, Looked } from "../../../shared/chain/facts.ts";
import type { Decision } from "../../../shared/decision.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { type Kind, Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { on } from "../../../shared/rule.ts";
import { warning } from "../../../shared/steps.ts";
import type { Subject } from "../../../shared/subject.ts";
import { agentsIn, deletePod } from "./agent-pod.ts";
import { type Dependent, lateFor } from "./dependent.ts";
import { dependents } from "./kinds.ts";
import { unschedule } from "./let-go.ts";
import { finalizerOf } from "./names.ts";
import { hasLock, lockOf, setLock } from "./node-lock.ts";

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

/** What a rule that lets go sees, and what it must wait for first of what has the same lock. @throws ApiError */
export async function seeSharer<O extends Dependent, K extends Known>(
  client: Client,
  look: () => Promise<readonly Looked<O, K>[]>,
) {
  const seen = await look();
  const sharers = (await Promise.all(seen.map((one) => sharersOf(one, client)))).flat();
  return { seen, sharer: sharers.find(({ takesOver }) => !takesOver) ?? sharers[0] };
}

async function sharersOf({ object, node, pods, wanted }: Dependent, client: Client): Promise<readonly Sharer[]> {
  const { namespace, name } = object.metadata;
  const lock = lockOf(object);
  if (wanted !== "go" || pods.length > 0 || !node || !hasLock(node, lock)) return [];
  const others = dependents.filter(({ kind }) => kind !== object.kind);
  const live = await Promise.all(others.map((kind) => client.get(kind, namespace, name)));
  const isGoing = isBeingDeleted(object);
  return live.flatMap((other) => {
    if (!other || lockOf(other) !== lock) return [];
    const isOtherGoing = isBeingDeleted(other);
    const what = isOtherGoing ? ` until the ${other.kind} is gone` : ". Give one of the two another spec.lockName";
    return {
      message: `${other.kind} ${name} has the same lock name, so the lock stays on the Node${what}.`,
      // Of two that are being deleted, one has to be the last: two that wait for each other would stay for ever.
      takesOver: isGoing && (!isOtherGoing || object.kind < other.kind),
      isStuck: !isGoing && !isOtherGoing,
    };
  });
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
