import { NovaComputeNode } from "../../functions/eviction/lib/kinds.ts";
import { handedOver, pauseKey, yaookParent } from "../../functions/eviction/lib/names.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { listServed } from "../../shared/uninstall/list-served.ts";
import { someOf } from "../../shared/uninstall/some-of.ts";
import type { Check } from "./finding.ts";

/** Whether Yaook's own operator evicts compute nodes of this cluster. @throws ApiError */
export async function yaooksOwn(client: Client, systems: readonly string[]): Promise<readonly Check[]> {
  if (!systems.includes("eviction")) return [];
  const theirs: KubernetesObject[] = [];
  const labelled = { labelSelector: yaookParent, metadataOnly: true };
  for await (const node of listServed<KubernetesObject>(client, NovaComputeNode, labelled))
    if (node.metadata.annotations?.[pauseKey] !== handedOver) theirs.push(node);
  if (theirs.length === 0) return [{ what: "No compute node is kept by Yaook's operator alone." }];
  return [
    {
      what: `Yaook's operator keeps these compute nodes: ${someOf(theirs)}.`,
      why: "Holdfast leaves them alone, so that two do not move servers against each other.",
      todo: `To hand one over: kubectl annotate novacomputenode NAME -n NAMESPACE ${pauseKey}=${handedOver}`,
      isNote: true,
    },
  ];
}
