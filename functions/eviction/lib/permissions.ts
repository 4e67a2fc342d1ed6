import type { Permission } from "../../../shared/declaration.ts";
import type { Bound, DeclaredWrites } from "../../../shared/declared-writes.ts";
import { Event, type Kind, Node, Pod } from "../../../shared/kubernetes/kind.ts";
import { ofAgents } from "./agent-pod.ts";
import { dependents, NovaComputeNode, servingAgents } from "./kinds.ts";
import { conditions } from "./names.ts";
import { lockPrefix, maintenanceLabel } from "./node-lock.ts";

/** The same on each of several kinds. */
export const onEach = (kinds: readonly Kind[], more: Omit<Permission, "resource">): readonly Permission[] =>
  kinds.map((resource) => ({ resource, ...more }));

/** What shows something in these conditions of resources. */
export const mayShow = (kinds: readonly Kind[], shown: readonly string[], what: string): readonly Permission[] => {
  const why = `to show in its conditions ${what}`;
  return onEach(kinds, { subresource: "status", verbs: ["patch"], writes: { conditions: shown }, why });
};

const node = "to see whether the Node exists and is Ready, and to read its maintenance label and locks";
const progress = "how far the eviction is";
const evicting = [conditions.converged, conditions.enabled, conditions.evicted];
const pods = "to see which pods of nova-compute are there, and whether Yaook's own eviction runs";

export const mayRecordEvents: Permission = {
  resource: Event,
  verbs: ["create", "get", "delete"],
  why: "to record what is away, or refuses a call or a change, and to delete such an Event",
};

/** What a rule that looks at NovaComputeNodes needs, and says of them; `why` it looks at them and changes them. */
export const mayLook = (writes: DeclaredWrites, why: string, whyPods = pods): readonly Permission[] => [
  { resource: NovaComputeNode, verbs: ["get", "patch"], writes, why },
  ...mayShow([NovaComputeNode], [...evicting, conditions.hostDown, conditions.serversStuck], progress),
  { resource: Node, verbs: ["get"], why: node },
  { resource: Pod, verbs: ["get", "list"], why: whyPods },
  mayRecordEvents,
];

/** What a rule that looks at agents of Neutron needs, and says of them; `why` it looks at them and changes them. */
export const mayLookAtAgents = (kinds: readonly Kind[], writes: DeclaredWrites, why: string): readonly Permission[] => [
  ...kinds.map(
    (resource): Permission =>
      servingAgents.includes(resource)
        ? { resource, verbs: ["get", "list", "patch"], writes, why: `to see which agents leave, and ${why}` }
        : { resource, verbs: ["get", "patch"], writes, why },
  ),
  ...mayShow(kinds, evicting, progress),
  { resource: Node, verbs: ["get"], why: node },
  { resource: Pod, verbs: ["get", "list"], why: "to see whether the pod of the agent is there and Ready" },
  mayRecordEvents,
];

const kept = `(k.matches("(^|[.])(kubernetes|k8s)[.]io/") || k == "${maintenanceLabel}")`;
const sameOfKept = (one: string, other: string) =>
  `${one}.metadata.?labels.orValue({}).all(k, !${kept} || ` +
  `${one}.metadata.?labels[?k].orValue(" ") == ${other}.metadata.?labels[?k].orValue(" "))`; // no value is a space

/** By labels of Nodes, which resources name as they like, their pods come. */
const schedulingLabels: DeclaredWrites = { labels: ["*"] };
const notKept: Bound = {
  on: ["patch"],
  says: "changes no label of a Node that is Kubernetes' own, nor the maintenance label",
  cel: `${sameOfKept("object", "oldObject")} && ${sameOfKept("oldObject", "object")}`,
};

/** What labels Nodes, or takes labels off. */
export const mayLabelNodes = (why: string): Permission => {
  return { resource: Node, verbs: ["patch"], writes: schedulingLabels, bounds: [notKept], why };
};

/** Pods of agents are privileged: what may create one elsewhere could take the account of any namespace. */
export function mayWritePods(verbs: readonly ("create" | "delete")[], kinds: readonly Kind[], why: string): Permission {
  const bounds = verbs.map((verb) => ofAgents(verb, kinds));
  return { namespaceSetting: "agentNamespace", resource: Pod, verbs, bounds, why };
}

/** What lets the pods of resources of these kinds go, and then takes their locks off the Node. */
export const mayLetGo = (kinds: readonly Kind[]): readonly Permission[] => [
  {
    ...mayLabelNodes("to remove the label by which its pods come, and then its lock"),
    writes: { ...schedulingLabels, annotations: [`${lockPrefix}*`] },
  },
  mayWritePods(["delete"], dependents, "to delete its pods when nothing on the Node needs them any more"),
  ...onEach(
    dependents.filter((kind) => !kinds.includes(kind)),
    { verbs: ["get"], why: "to see whether one on the Node has a lock of the same name" },
  ),
];
