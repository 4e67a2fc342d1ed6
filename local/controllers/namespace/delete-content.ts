import { isNotFound } from "../../../shared/kubernetes/api-error.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import type { ServedKind } from "../../../shared/kubernetes/discover.ts";
import { Pod, pathOf } from "../../../shared/kubernetes/kind.ts";
import { kindKey } from "../objects/kinds.ts";

/**
 * Deletes all pods of a namespace, and once none is left everything else (KEP-5080). Returns whether nothing is left.
 * Throws the first failure: where pods cannot be deleted, before anything else is touched, and otherwise after it has
 * tried every kind.
 */
export async function deleteContent(
  client: Client,
  namespace: string,
  served: readonly ServedKind[],
): Promise<boolean> {
  const deletable = served.filter(({ namespaced, verbs }) => namespaced && verbs.includes("deletecollection"));
  const isPod = (kind: ServedKind) => kindKey(kind) === kindKey(Pod);
  for (const kinds of [deletable.filter(isPod), deletable.filter((kind) => !isPod(kind))]) {
    let isEmpty = true;
    const failures: unknown[] = [];
    for (const kind of kinds) {
      try {
        if (!(await deleteKind(client, namespace, kind))) isEmpty = false;
      } catch (error) {
        // A kind whose definition has gone meanwhile has nothing left.
        if (!isNotFound(error)) failures.push(error);
      }
    }
    if (failures.length) throw failures[0];
    if (!isEmpty) return false;
  }
  return true;
}

/** Returns whether nothing of the kind is left. */
async function deleteKind(client: Client, namespace: string, kind: ServedKind): Promise<boolean> {
  const options = { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: "Background" };
  await client.request("DELETE", pathOf(kind, namespace), options);
  for await (const _ of client.list(kind, { namespace, metadataOnly: true })) return false;
  return true;
}
