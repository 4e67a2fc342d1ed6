import type { Known, Looked } from "../../../shared/chain/facts.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import type { Dependent } from "./dependent.ts";
import { dependents } from "./kinds.ts";
import type { Sharer } from "./let-go.ts";
import { hasLock, lockOf } from "./node-lock.ts";
import { onEach } from "./permissions.ts";

/** What a rule that lets these kinds go needs besides, to look for others with the same lock. */
export const maySeeSharers = (kinds: readonly Kind[]) =>
  onEach(
    dependents.filter((kind) => !kinds.includes(kind)),
    { verbs: ["get"], why: "to see whether one on the Node has a lock of the same name" },
  );

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
      message: `${other.kind} ${name} has the lock name of this resource, so the lock stays on the Node${what}.`,
      // Of two that are being deleted, one has to be the last: two that wait for each other would stay for ever.
      takesOver: isGoing && (!isOtherGoing || object.kind < other.kind),
      isStuck: !isGoing && !isOtherGoing,
    };
  });
}
