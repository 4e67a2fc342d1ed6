import { hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject, OwnerReference } from "../../../shared/kubernetes/object.ts";

/**
 * Set by a deletion with `propagationPolicy: Foreground`: the owner stays until the dependents that block it are gone.
 */
export const foregroundDeletion = "foregroundDeletion";

/** Set by a deletion with `propagationPolicy: Orphan`: the owner stays until no dependent refers to it any more. */
export const orphan = "orphan";

/** One object as the graph of owners and dependents knows it. */
export interface GraphNode {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly uid: string;
  readonly owners: readonly OwnerReference[];
  readonly deleting: boolean;
  /** Being deleted in the foreground: waits for its dependents. */
  readonly foreground: boolean;
  /** Being deleted with its dependents left behind. */
  readonly orphaning: boolean;
}

/** Objects and who owns them, by uid, as the watches tell it: a little behind the truth. */
export type Graph = ReturnType<typeof createGraph>;

/** What the graph finds in need of a live look. */
export interface GraphQueues {
  collect(uid: string): void;
  orphan(uid: string): void;
}

export function createGraph(queues: GraphQueues) {
  const nodes = new Map<string, GraphNode>();
  const dependents = new Map<string, Set<string>>();

  const dependentsOf = (uid: string) =>
    [...(dependents.get(uid) ?? [])].flatMap((dependent) => nodes.get(dependent) ?? []);

  function link(node: GraphNode, owners: readonly OwnerReference[]): void {
    for (const owner of owners) {
      const set = dependents.get(owner.uid) ?? new Set();
      dependents.set(owner.uid, set.add(node.uid));
    }
  }

  function unlink(node: GraphNode, owners: readonly OwnerReference[]): void {
    for (const owner of owners) {
      const set = dependents.get(owner.uid);
      set?.delete(node.uid);
      if (!set?.size) dependents.delete(owner.uid);
    }
  }

  function put(kind: Kind, object: KubernetesObject): void {
    const old = nodes.get(object.metadata.uid);
    const node = nodeOf(kind, object);
    nodes.set(node.uid, node);
    const kept = new Set(node.owners.map(({ uid }) => uid));
    if (old) {
      unlink(
        node,
        old.owners.filter(({ uid }) => !kept.has(uid)),
      );
    }
    link(node, node.owners);

    // An owner that waits for its blockers may have one less.
    for (const { uid } of old?.owners.filter(blocks) ?? []) {
      if (!node.owners.some((owner) => owner.uid === uid && blocks(owner))) queues.collect(uid);
    }
    if (node.owners.length) queues.collect(node.uid);
    if (node.orphaning && !old?.orphaning) queues.orphan(node.uid);
    if (node.foreground && !old?.foreground) {
      for (const dependent of dependentsOf(node.uid)) queues.collect(dependent.uid);
      queues.collect(node.uid);
    }
  }

  function remove(uid: string): void {
    const node = nodes.get(uid);
    if (!node) return;
    nodes.delete(uid);
    unlink(node, node.owners);
    for (const dependent of dependentsOf(uid)) queues.collect(dependent.uid);
    for (const owner of node.owners) if (nodes.get(owner.uid)?.foreground) queues.collect(owner.uid);
  }

  return {
    get: (uid: string) => nodes.get(uid),
    dependentsOf,
    /** The dependents whose reference to `uid` says that they block its deletion. */
    blockersOf: (uid: string) =>
      dependentsOf(uid).filter((node) => node.owners.some((owner) => owner.uid === uid && blocks(owner))),
    /** Uids that are referred to as owners but were not seen. */
    unseenOwners: () => [...dependents.keys()].filter((uid) => !nodes.has(uid)),
    put,
    remove,
  };
}

/**
 * Whether the graph alone shows nothing to do for a node: every owner was seen where the reference says it is, and none
 * of them waits for its dependents. Saves the live look at each of ten thousand healthy pods when the collector starts.
 */
export function isSettled(graph: Graph, node: GraphNode): boolean {
  return (
    !node.foreground &&
    node.owners.every((reference) => {
      const owner = graph.get(reference.uid);
      return owner !== undefined && !owner.foreground && isAt(owner, reference, node.namespace);
    })
  );
}

/** A reference may name a uid that exists, under a kind, name or namespace that is not its own. */
function isAt(owner: GraphNode, reference: OwnerReference, namespace: string | undefined): boolean {
  const { kind, name } = owner;
  if (kind.apiVersion !== reference.apiVersion || kind.kind !== reference.kind || name !== reference.name) return false;
  return !kind.namespaced || owner.namespace === namespace;
}

function nodeOf(kind: Kind, object: KubernetesObject): GraphNode {
  const { namespace, name, uid, ownerReferences = [] } = object.metadata;
  const deleting = isBeingDeleted(object);
  return {
    kind,
    namespace,
    name,
    uid,
    owners: ownerReferences,
    deleting,
    foreground: deleting && hasFinalizer(object, foregroundDeletion),
    orphaning: deleting && hasFinalizer(object, orphan),
  };
}

function blocks(reference: OwnerReference): boolean {
  return reference.blockOwnerDeletion === true;
}
