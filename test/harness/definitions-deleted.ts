import { CustomResourceDefinition } from "../../local/controllers/objects/kinds.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";

interface Definition extends KubernetesObject {
  readonly spec: {
    readonly group: string;
    readonly scope: "Namespaced" | "Cluster";
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly storage: boolean }[];
  };
}

/**
 * Waits until those of these CustomResourceDefinitions that are being deleted are gone. That takes a real API server
 * seconds, and a client that creates one of that name meanwhile finds it there, and has none a moment later. Finalizers
 * of what they define are removed: who would do that is gone.
 *
 * @throws Error when one of them stays.
 */
export async function definitionsDeleted(
  { admin, eventually }: { admin: Client; eventually(what: string, check: () => Promise<boolean>): Promise<unknown> },
  names: readonly string[],
): Promise<void> {
  for (const name of names)
    await eventually(`the definition ${name} is gone`, async () => {
      const live = await admin.get<Definition>(CustomResourceDefinition, undefined, name);
      if (!live?.metadata.deletionTimestamp) return true;
      await release(admin, live);
      return false;
    });
}

async function release(admin: Client, { spec }: Definition): Promise<void> {
  const { group, names, scope, versions } = spec;
  const version = versions.find(({ storage }) => storage)?.name;
  const kind = { apiVersion: `${group}/${version}`, ...names, namespaced: scope === "Namespaced" };
  // The kind may not be served any more by the time that it is asked for.
  const left = await Array.fromAsync(admin.list(kind)).catch(() => []);
  for (const { metadata } of left)
    if (metadata.finalizers?.length)
      await admin.patch(kind, metadata.namespace, metadata.name, "merge", { metadata: { finalizers: null } });
}
