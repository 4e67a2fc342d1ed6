import { isAlreadyExists } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { Node, StorageClass } from "./kinds.ts";
import { manifest } from "./manifest.ts";

const isDefault = { "storageclass.kubernetes.io/is-default-class": "true" };

/** The nodes that stories name: one with a kubelet, and one whose pods the story itself reports on. */
export const kubeletNode = "node-0";
const desk = "desk";

/** What a story expects of every cluster: a storage class that provisions, and a node without a kubelet. */
export async function furnish(client: Client): Promise<void> {
  const provisioner = "kubernetes.io/host-path";
  const objects = [
    [StorageClass, manifest(StorageClass, { name: "standard", annotations: isDefault }, { provisioner })],
    [Node, manifest(Node, { name: desk })],
  ] as const;
  for (const [kind, object] of objects) {
    await client.create(kind, object).catch((error) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }
}
