import type { Client } from "../../../shared/kubernetes/client.ts";
import { Node, StorageClass } from "../../../shared/kubernetes/kind.ts";
import { readJobHandle } from "./job-handle.ts";
import type { JobInput } from "./jobs.ts";
import { Volume } from "./kinds.ts";
import { phaseOf, type VolumeObject } from "./volume.ts";

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

/**
 * Another Volume of the same node that has a run of states in hand; `undefined` when there is none. A minion refuses a
 * second run while one goes on, so that they are begun one after the other. Nobody waits for a Volume that has failed:
 * its job is over, or pauses.
 *
 * @throws ApiError
 */
export async function lookForOtherRun(client: Client, { metadata, spec }: VolumeObject): Promise<string | undefined> {
  let found: string | undefined;
  // To its end, because a list that is left in the middle takes its connection with it.
  for await (const other of client.list<VolumeObject>(Volume, { leaveOut: ["metadata.managedFields"] })) {
    const job = readJobHandle(other.status?.job);
    const isInHand = ["Pending", "Terminating"].includes(phaseOf(other));
    const runs = isInHand && job?.jid !== undefined && job.step !== "GetDeviceInfo";
    if (runs && other.metadata.uid !== metadata.uid && other.spec.nodeName === spec.nodeName)
      found ??= other.metadata.name;
  }
  return found;
}
