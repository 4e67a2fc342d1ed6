import { isConflict } from "../../../shared/kubernetes/api-error.ts";
import type { Client, DeleteOptions } from "../../../shared/kubernetes/client.ts";
import { removeFinalizer } from "../../../shared/kubernetes/finalizer.ts";
import type { KubernetesObject, OwnerReference } from "../../../shared/kubernetes/object.ts";
import { send } from "../../../shared/kubernetes/write.ts";
import type { GraphNode } from "./graph.ts";

/** Conflicts in a row until a change is left to the queue's next try. */
const attempts = 5;

/** The object's metadata now; `undefined` when this incarnation is gone. */
export async function readLive(client: Client, node: GraphNode): Promise<KubernetesObject | undefined> {
  const live = await client.get(node.kind, node.namespace, node.name, { metadataOnly: true });
  return live?.metadata.uid === node.uid ? live : undefined;
}

/** Rewrites the owner references of an object, as they are now. */
export async function changeOwners(
  client: Client,
  node: GraphNode,
  change: (references: readonly OwnerReference[]) => readonly OwnerReference[],
): Promise<void> {
  await onLatest(client, node, async ({ metadata: { uid, resourceVersion, ownerReferences = [] } }) => {
    const changed = change(ownerReferences);
    if (JSON.stringify(changed) === JSON.stringify(ownerReferences)) return;
    const metadata = { uid, resourceVersion, ownerReferences: changed.length ? changed : null };
    await client.patch(node.kind, node.namespace, node.name, "merge", { metadata });
  });
}

/** Takes one of the collector's finalizers off an object. */
export async function dropFinalizer(client: Client, node: GraphNode, finalizer: string): Promise<void> {
  await onLatest(client, node, async (live) => {
    if (live.metadata.finalizers?.includes(finalizer)) await send(client, removeFinalizer(node.kind, live, finalizer));
  });
}

/**
 * Deletes the object as it was read. When it has changed since but its owners have not, it goes all the same, so that
 * busy objects are collected too; a reference removed in time saves it. `false` when it was gone already.
 */
export async function deleteAsRead(
  client: Client,
  node: GraphNode,
  { metadata: { uid, resourceVersion, ownerReferences } }: KubernetesObject,
  propagationPolicy: NonNullable<DeleteOptions["propagationPolicy"]>,
): Promise<boolean> {
  const { kind, namespace, name } = node;
  try {
    return await client.delete(kind, namespace, name, { uid, resourceVersion, propagationPolicy });
  } catch (error) {
    if (!isConflict(error)) throw error;
    const live = await readLive(client, node);
    if (!live) return false;
    if (JSON.stringify(live.metadata.ownerReferences) !== JSON.stringify(ownerReferences)) throw error;
    return client.delete(kind, namespace, name, { uid, propagationPolicy });
  }
}

async function onLatest(
  client: Client,
  node: GraphNode,
  change: (live: KubernetesObject) => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const live = await readLive(client, node);
    if (!live) return;
    try {
      return await change(live);
    } catch (error) {
      if (!isConflict(error) || attempt === attempts) throw error;
    }
  }
}
