import { ApiError, isNotFound } from "../../../shared/kubernetes/api-error.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import type { ServedKind } from "../../../shared/kubernetes/discover.ts";
import { groupOf, Pod, pathOf } from "../../../shared/kubernetes/kind.ts";
import { kindKey } from "../objects/kinds.ts";

/** What is left in a namespace after everything in it was asked to go. */
export interface Remains {
  /** Objects left, by `<plural>.<group>`. */
  kinds: Map<string, number>;
  /** Objects left that carry it, by finalizer. */
  finalizers: Map<string, number>;
  /** What could not be deleted, in the server's words. */
  failures: unknown[];
  /** Whether pods are left: nothing else has been touched then. */
  podsFirst: boolean;
}

/** Deletes all pods of a namespace, and once none is left everything else (KEP-5080); returns what remains. */
export async function deleteContent(
  client: Client,
  namespace: string,
  served: readonly ServedKind[],
): Promise<Remains> {
  const remains: Remains = { kinds: new Map(), finalizers: new Map(), failures: [], podsFirst: false };
  const deletable = served.filter(({ namespaced, verbs }) => namespaced && verbs.includes("delete"));
  const isPod = (kind: ServedKind) => kindKey(kind) === kindKey(Pod);
  for (const kind of deletable.filter(isPod)) await deleteKind(client, namespace, kind, remains);
  remains.podsFirst = remains.kinds.size > 0;
  if (remains.podsFirst) return remains;
  for (const kind of deletable) if (!isPod(kind)) await deleteKind(client, namespace, kind, remains);
  return remains;
}

async function deleteKind(client: Client, namespace: string, kind: ServedKind, remains: Remains): Promise<void> {
  try {
    await deleteAll(client, namespace, kind);
    if (!kind.verbs.includes("list")) return;
    let left = 0;
    for await (const { metadata } of client.list(kind, { namespace, metadataOnly: true })) {
      left++;
      for (const finalizer of metadata.finalizers ?? []) increase(remains.finalizers, finalizer);
    }
    if (left) remains.kinds.set(`${kind.plural}.${groupOf(kind)}`, left);
  } catch (error) {
    // A kind whose definition has gone meanwhile has nothing left.
    if (!isNotFound(error)) remains.failures.push(error);
  }
}

async function deleteAll(client: Client, namespace: string, kind: ServedKind): Promise<void> {
  const options = { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: "Background" };
  if (kind.verbs.includes("deletecollection")) {
    try {
      await client.request("DELETE", pathOf(kind, namespace), options);
      return;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 405) throw error;
    }
  }
  if (!kind.verbs.includes("list")) return;
  for await (const { metadata } of client.list(kind, { namespace, metadataOnly: true })) {
    await client.delete(kind, namespace, metadata.name, { propagationPolicy: "Background" });
  }
}

function increase(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
