import type { ControllerTools, Running } from "../controller.ts";
import type { Everything } from "../discovery/everything.ts";
import { startWorkQueue } from "../work-queue.ts";
import { changeOwners, dropFinalizer } from "./change.ts";
import { collect, createOwnerLookup } from "./collect.ts";
import { createGraph, isSettled, orphan } from "./graph.ts";

/**
 * Deletes what no owner keeps any more, as kube-controller-manager's garbage collector does: an owner exists when an
 * object of the referenced kind, name and uid does, in the dependent's namespace; one existing owner is enough to keep
 * an object.
 */
export function startGarbageCollector(tools: ControllerTools & { everything: Everything }): Running {
  const { client, everything } = tools;
  const lookUp = createOwnerLookup(client, everything);
  /** Objects whose owner's kind is not served: looked at again when the kinds change. */
  const parked = new Set<string>();
  const queue = { controller: "garbage-collector-controller", ready: everything.synced, workers: 5 };

  const collectQueue = startWorkQueue(tools, {
    ...queue,
    async work(uid) {
      const node = graph.get(uid);
      if (!node || isSettled(graph, node)) return;
      const outcome = await collect({ client, graph, lookUp, collect: (other) => collectQueue.add(other) }, node);
      if (outcome === "kind unknown") parked.add(uid);
    },
  });
  const orphanQueue = startWorkQueue(tools, {
    ...queue,
    async work(uid) {
      const owner = graph.get(uid);
      if (!owner?.orphaning) return;
      for (const dependent of graph.dependentsOf(uid)) {
        await changeOwners(client, dependent, (now) => now.filter((reference) => reference.uid !== uid));
      }
      await dropFinalizer(client, owner, orphan);
    },
  });
  const graph = createGraph({ collect: collectQueue.add, orphan: orphanQueue.add });

  everything.on((kind, change, object) => {
    if (change === "delete") graph.remove(object.metadata.uid);
    else graph.put(kind, object);
  });
  everything.onKinds(() => {
    const unseen = graph.unseenOwners().flatMap((uid) => graph.dependentsOf(uid).map((dependent) => dependent.uid));
    for (const uid of [...parked, ...unseen]) collectQueue.add(uid);
    parked.clear();
  });
  return { synced: everything.synced };
}
