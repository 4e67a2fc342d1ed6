import type { Client } from "../../shared/kubernetes/client.ts";
import { hasFinalizer, isBeingDeleted } from "../../shared/kubernetes/finalizer.ts";
import { PersistentVolumeClaim, Pod } from "../../shared/kubernetes/kind.ts";
import { claimsOf, isTerminated } from "../../shared/storage/pod-claims.ts";
import { inTreeProtection } from "../../shared/storage/protection.ts";
import type { Held } from "../../shared/uninstall/held-objects.ts";

/**
 * Those of the held objects that are claims being deleted which a pod uses, and which nothing but our finalizer keeps:
 * without it their data would go under the pod.
 */
export async function claimsInUse(client: Client, held: readonly Held[]): Promise<readonly Held[]> {
  const alone = held.filter(
    ({ hold, object }) =>
      hold.kind.kind === PersistentVolumeClaim.kind &&
      isBeingDeleted(object) &&
      !hasFinalizer(object, inTreeProtection),
  );
  const used = new Set<string>();
  for (const namespace of new Set(alone.map(({ object }) => object.metadata.namespace)))
    for await (const pod of client.list(Pod, namespace ? { namespace } : {}))
      if (!isTerminated(pod)) for (const { claim } of claimsOf(pod)) used.add(`${namespace}/${claim}`);
  return alone.filter(({ object: { metadata } }) => used.has(`${metadata.namespace}/${metadata.name}`));
}
