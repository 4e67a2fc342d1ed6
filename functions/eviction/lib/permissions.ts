import type { Permission } from "../../../shared/declaration.ts";
import type { Bound, DeclaredWrites } from "../../../shared/declared-writes.ts";
import { Event, type Kind, Node, Pod } from "../../../shared/kubernetes/kind.ts";
import { deletesAgents } from "./agent-pod.ts";
import { agents, NovaComputeNode, servingAgents } from "./kinds.ts";
import { lockPrefix } from "./node-lock.ts";

/** What a rule that looks at NovaComputeNodes needs, and says of them. */
export const mayLook = (writes: DeclaredWrites): readonly Permission[] => [
  { resource: NovaComputeNode, verbs: ["get", "patch"], writes },
  { resource: NovaComputeNode, subresource: "status", verbs: ["patch"] },
  { resource: Node, verbs: ["get"] },
  { resource: Pod, verbs: ["get", "list"] },
];

export const mayRecordEvents: Permission = { resource: Event, verbs: ["create", "get", "delete"] };

/** What a rule that looks at agents of Neutron needs, and says of them. */
export const mayLookAtAgents = (writes: DeclaredWrites, kinds: readonly Kind[] = agents): readonly Permission[] => [
  ...kinds.flatMap((resource): Permission[] => [
    { resource, verbs: ["get", ...(servingAgents.includes(resource) ? (["list"] as const) : []), "patch"], writes },
    { resource, subresource: "status", verbs: ["patch"] },
  ]),
  { resource: Node, verbs: ["get"] },
  { resource: Pod, verbs: ["get", "list"] },
  mayRecordEvents,
];

const kubernetesOwn = 'k.matches("(^|[.])(kubernetes|k8s)[.]io/")';

const sameOfKubernetes = (one: string, other: string) =>
  `${one}.metadata.?labels.orValue({}).all(k, !${kubernetesOwn} || ` +
  `${one}.metadata.?labels[?k].orValue(" ") == ${other}.metadata.?labels[?k].orValue(" "))`; // no value is a space

/** By labels of Nodes, which resources name as they like, their pods come. */
const schedulingLabels: DeclaredWrites = { labels: ["*"] };
const notOfKubernetes: Bound = {
  on: ["patch"],
  says: "changes no label of a Node that is Kubernetes' own",
  cel: `${sameOfKubernetes("object", "oldObject")} && ${sameOfKubernetes("oldObject", "object")}`,
};

/** What labels Nodes, or takes labels off. */
export const mayLabelNodes: Permission = {
  resource: Node,
  verbs: ["patch"],
  writes: schedulingLabels,
  bounds: [notOfKubernetes],
};

/** Pods of agents are privileged: what may create one elsewhere could take the account of any namespace. */
export function mayWritePods(verbs: Permission["verbs"], bounds: readonly Bound[]): Permission {
  return { namespaceSetting: "agentNamespace", resource: Pod, verbs, bounds };
}

/** What lets the pods of a resource go, and then takes its lock off the Node. */
export const mayLetGo: readonly Permission[] = [
  { ...mayLabelNodes, writes: { ...schedulingLabels, annotations: [`${lockPrefix}*`] } },
  mayWritePods(["delete"], [deletesAgents]),
];
