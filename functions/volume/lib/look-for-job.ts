import type { Client } from "../../../shared/kubernetes/client.ts";
import { Node, StorageClass } from "../../../shared/kubernetes/kind.ts";
import type { JobInput } from "./jobs.ts";
import type { VolumeObject } from "./volume.ts";

/**
 * What a job of the Volume is made from, as it is now.
 *
 * @throws ApiError
 */
export async function lookForJob(client: Client, volume: VolumeObject): Promise<JobInput> {
  const [storageClass, node] = await Promise.all([
    client.get(StorageClass, undefined, volume.spec.storageClassName),
    client.get(Node, undefined, volume.spec.nodeName, { metadataOnly: true }),
  ]);
  return { volume, storageClass, node };
}
