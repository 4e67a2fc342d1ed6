import type { OwnerReference } from "../../shared/kubernetes/object.ts";
import { ConfigMap } from "../harness/kinds.ts";
import { configMap } from "../harness/manifest.ts";
import type { Bench } from "../harness/server.ts";

/** References to three objects that exist, because a garbage collector acts on references to those that do not. */
export async function owners({ admin, namespace }: Bench): Promise<[OwnerReference, OwnerReference, OwnerReference]> {
  const create = async (name: string): Promise<OwnerReference> => {
    const { metadata } = await admin.create(ConfigMap, configMap({ namespace, name }));
    return { apiVersion: "v1", kind: "ConfigMap", name, uid: metadata.uid };
  };
  return [await create("owner-1"), await create("owner-2"), await create("owner-3")];
}
