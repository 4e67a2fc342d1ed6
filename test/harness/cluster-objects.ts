import { isAlreadyExists } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import { Node, StorageClass } from "./kinds.ts";
import { manifest } from "./manifest.ts";

const isDefault = { "storageclass.kubernetes.io/is-default-class": "true" };

/** The node that scenarios name, whose kubelet is the laptop edition's. */
export const kubeletNode = "holdfast-node";

/** A node without a kubelet: the scenario itself reports on its pods. */
export const bareNode = "holdfast-bare-node";

/**
 * Puts on a cluster what scenarios expect of every one: a storage class that provisions, and a node without a kubelet.
 * Returns how to take it away.
 */
export async function furnish(client: Client): Promise<() => Promise<void>> {
  const provisioner = "kubernetes.io/host-path";
  const wanted = [
    [StorageClass, manifest(StorageClass, { name: "standard", annotations: isDefault }, { provisioner })],
    [Node, manifest(Node, { name: bareNode })],
  ] as const;
  const created: [Kind, string][] = [];
  for (const [kind, object] of wanted) {
    try {
      await client.create(kind, object);
      created.push([kind, object.metadata.name]);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }
  return async () => {
    for (const [kind, name] of created) await client.delete(kind, undefined, name);
  };
}
