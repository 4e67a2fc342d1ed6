import type { Client } from "../../../shared/kubernetes/client.ts";
import { Pod } from "../../../shared/kubernetes/kind.ts";
import type { Subject } from "../../../shared/subject.ts";
import type { PodObject } from "./agent-pod.ts";
import { type Dependent, findDependent } from "./dependent.ts";
import { NovaComputeNode } from "./kinds.ts";
import { handedOver, pauseKey } from "./names.ts";
import { type EvictionRecord, readRecord } from "./record.ts";
import type { Common } from "./settings.ts";

/** A NovaComputeNode with what Kubernetes has of it, read live. */
export interface ComputeNode extends Dependent {
  readonly record: EvictionRecord | undefined;
}

/**
 * The NovaComputeNode of this name, where there is one, with its Node and its pods.
 *
 * @throws ApiError
 */
export async function findComputeNode(
  { namespace, name }: Pick<Subject, "namespace" | "name">,
  view: { readonly client: Client; readonly settings: Common },
): Promise<readonly ComputeNode[]> {
  const found = await findDependent({ kind: NovaComputeNode, namespace: namespace ?? "", name: name ?? "" }, view);
  return found.map((one) => ({ ...one, record: readRecord(one.object) }));
}

/**
 * Why something else evicts the host now, as a sentence: the pods of Yaook's own job.
 *
 * @throws ApiError
 */
export async function evictedByYaook({ object }: ComputeNode, client: Client): Promise<string | undefined> {
  const { namespace = "", name } = object.metadata;
  for await (const pod of client.list<PodObject>(Pod, { namespace, labelSelector: "app=compute-evict" }))
    if (
      pod.metadata.name.startsWith(`compute-evict-${name}-`) &&
      !["Succeeded", "Failed"].includes(pod.status?.phase ?? "")
    )
      return (
        `Pod ${pod.metadata.name} of Yaook's own eviction runs, and two must not evict one node. Wait until it has ` +
        `ended, or set the annotation ${pauseKey}=${handedOver} on the NovaComputeNode and delete the job of the pod.`
      );
  return undefined;
}
