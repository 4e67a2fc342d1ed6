import type { Client } from "../../../shared/kubernetes/client.ts";
import { hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import type { KubernetesObject, OwnerReference } from "../../../shared/kubernetes/object.ts";
import type { Everything } from "../discovery/everything.ts";
import { changeOwners, deleteAsRead, dropFinalizer, readLive } from "./change.ts";
import { foregroundDeletion, type Graph, type GraphNode, orphan } from "./graph.ts";

export interface CollectTools {
  client: Client;
  graph: Graph;
  lookUp(node: GraphNode, references: readonly OwnerReference[]): Promise<Owners | Unclear>;
  /** Queues another node. */
  collect(uid: string): void;
}

/**
 * Decides on one object from a live read of it and of its owners: deleted when no owner is left that would keep it, its
 * dangling references taken off when one is; or, being deleted in the foreground itself, released once nothing blocks
 * it.
 */
export async function collect(tools: CollectTools, node: GraphNode): Promise<"done" | Unclear> {
  const { client, graph } = tools;
  if (node.deleting && !node.foreground) return "done";
  const live = await readLive(client, node);
  if (!live) {
    graph.remove(node.uid);
    return "done";
  }
  if (node.foreground) {
    await releaseWhenUnblocked(tools, node);
    return "done";
  }
  const references = live.metadata.ownerReferences ?? [];
  if (!references.length) return "done";
  const owners = await tools.lookUp(node, references);
  if (typeof owners === "string") return owners;

  const { solid, dangling, waiting } = owners;
  if (solid.length) {
    const gone = new Set([...dangling, ...waiting].map(({ uid }) => uid));
    // Owners that wait must be let go too: their dependent stays with another owner.
    if (gone.size) await changeOwners(client, node, (now) => now.filter(({ uid }) => !gone.has(uid)));
  } else if (waiting.length && graph.dependentsOf(node.uid).length) {
    await passOnForeground(tools, node, live);
  } else if (!(await deleteAsRead(client, node, live, policyOf(live)))) graph.remove(node.uid);
  return "done";
}

async function releaseWhenUnblocked({ client, graph, collect }: CollectTools, node: GraphNode): Promise<void> {
  const blockers = graph.blockersOf(node.uid);
  if (!blockers.length) await dropFinalizer(client, node, foregroundDeletion);
  for (const blocker of blockers) if (!blocker.foreground) collect(blocker.uid);
}

/** An owner waits for this object, which has dependents of its own: they go first, and it waits for them in turn. */
async function passOnForeground(
  { client, graph }: CollectTools,
  node: GraphNode,
  live: KubernetesObject,
): Promise<void> {
  let seen: KubernetesObject | undefined = live;
  if (graph.dependentsOf(node.uid).some(({ foreground }) => foreground)) {
    // Dependents that wait may in the end wait for this very object: break the circle.
    await changeOwners(client, node, (now) => now.map((reference) => ({ ...reference, blockOwnerDeletion: false })));
    seen = await readLive(client, node);
  }
  if (!seen || !(await deleteAsRead(client, node, seen, "Foreground"))) graph.remove(node.uid);
}

/** A deletion already asked for by finalizer is asked for again in the same way. */
function policyOf(live: KubernetesObject): "Orphan" | "Foreground" | "Background" {
  if (hasFinalizer(live, orphan)) return "Orphan";
  return hasFinalizer(live, foregroundDeletion) ? "Foreground" : "Background";
}

/** The owners of an object as the server knows them now. */
export interface Owners {
  /** They exist and do not wait for their dependents. */
  solid: OwnerReference[];
  /** Nothing of that kind, name and uid exists where the reference looks. */
  dangling: OwnerReference[];
  /** They are being deleted in the foreground. */
  waiting: OwnerReference[];
}

/** Why an owner is not known: asking again helps only when the kinds served have changed, or never. */
export type Unclear = "kind unknown" | "cluster-scoped with namespaced owner";

/** Looks up owners live. */
export function createOwnerLookup(
  client: Client,
  everything: Everything,
): (node: GraphNode, references: readonly OwnerReference[]) => Promise<Owners | Unclear> {
  return async (node, references) => {
    const owners: Owners = { solid: [], dangling: [], waiting: [] };
    for (const reference of references) {
      const kind = everything.find(reference.apiVersion, reference.kind);
      if (!kind) return "kind unknown";
      if (kind.namespaced && !node.namespace) return "cluster-scoped with namespaced owner";
      const namespace = kind.namespaced ? node.namespace : undefined;

      const owner = await client.get(kind, namespace, reference.name, { metadataOnly: true });
      if (owner?.metadata.uid !== reference.uid) owners.dangling.push(reference);
      else if (waitsForDependents(owner)) owners.waiting.push(reference);
      else owners.solid.push(reference);
    }
    return owners;
  };
}

function waitsForDependents(owner: KubernetesObject): boolean {
  return isBeingDeleted(owner) && hasFinalizer(owner, foregroundDeletion);
}
