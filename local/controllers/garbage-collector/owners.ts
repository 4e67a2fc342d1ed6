import type { Client } from "../../../shared/kubernetes/client.ts";
import { hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import type { KubernetesObject, OwnerReference } from "../../../shared/kubernetes/object.ts";
import type { Everything } from "../discovery/everything.ts";
import { foregroundDeletion, type GraphNode } from "./graph.ts";

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
