import { createHash } from "node:crypto";
import type { Bound } from "../../../shared/declared-writes.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { conditionOf } from "../../../shared/kubernetes/condition.ts";
import { type Kind, Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import type { Subject } from "../../../shared/subject.ts";
import { lockOf, lockPrefix } from "./node-lock.ts";

/** A pod as far as it says whether an agent runs. */
export interface PodObject extends KubernetesObject {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: { readonly phase?: string; readonly conditions?: readonly object[] };
}

/** Annotation of an agent's pod: what of the template it was made of. */
const templateKey = "holdfast.dev/template";

/** Label of an agent's pod: the kind of its resource, which has the name of the Node. */
export const agentKey = "holdfast.dev/agent";
/** Annotations of an agent's pod: the uid of its resource, and what follows the prefix in the name of its lock. */
export const agentUidKey = "holdfast.dev/agent-uid";
export const agentLockKey = "holdfast.dev/agent-lock";

/** The name of the one pod of a resource: of two that are made at once the server takes one. */
const podNameOf = (kind: string, node: string): string => `${kind.toLowerCase()}-${node}`;

/** What is created or deleted are pods of these kinds of agents, each called after the Node that it runs on. */
export function ofAgents(on: "create" | "delete", kinds: readonly Kind[]): Bound {
  const pod = on === "create" ? "object" : "oldObject";
  const names = JSON.stringify(Object.fromEntries(kinds.map(({ kind }) => [kind, podNameOf(kind, "")])));
  const cel =
    `${pod}.metadata.?annotations["${agentUidKey}"].orValue("") != "" && ` +
    `${names}[?${pod}.metadata.?labels["${agentKey}"].orValue("")].orValue(" ") + ` +
    `${pod}.spec.?nodeName.orValue("") == ${pod}.metadata.name`;
  return { on: [on], says: `${on}s pods of agents, each on the Node of its name`, cel };
}

export const isReady = (pod: PodObject): boolean =>
  !pod.metadata.deletionTimestamp && conditionOf(pod, "Ready")?.status === "True";

/** The pod has ended, and the kubelet does not start it again. */
export const hasEnded = ({ status }: PodObject): boolean => ["Succeeded", "Failed"].includes(status?.phase ?? "");

const digestOf = (template: unknown) =>
  createHash("sha256").update(JSON.stringify(template)).digest("hex").slice(0, 16);

/** Whether the pod was made of another template than its resource has now. */
export const isOutdated = ({ metadata }: PodObject, { spec }: KubernetesObject): boolean =>
  metadata.annotations?.[templateKey] !== digestOf((spec as { template?: unknown }).template);

/** The pod that was made for this very resource, or why it has none: another one of its name. @throws ApiError */
export async function findPod(
  resource: KubernetesObject,
  client: Client,
): Promise<{ readonly pod?: PodObject; readonly inTheWay?: string }> {
  const { namespace = "", uid } = resource.metadata;
  const name = podNameOf(resource.kind, resource.metadata.name);
  const pod = await client.get<PodObject>(Pod, namespace, name);
  if (!pod) return {};
  if (pod.metadata.annotations?.[agentUidKey] === uid) return { pod };
  const inTheWay =
    `Pod ${name} was not created for this ${resource.kind}, so its own cannot be created. See what that pod is for, ` +
    `and run \`kubectl delete pod -n ${namespace} ${name}\`.`;
  return { inTheWay };
}

/** The resource of one of the kinds whose pod an event is about. */
export function agentsIn(
  { kind, apiVersion, namespace = "", object }: Hint,
  agents: readonly Kind[],
): readonly Subject[] {
  if (kind !== Pod.kind || apiVersion !== Pod.apiVersion || !object) return [];
  const name = (object as PodObject).spec?.nodeName;
  const agent = agents.find((one) => one.kind === object.metadata.labels?.[agentKey]);
  return agent && name !== undefined ? [{ kind: agent, namespace, name }] : [];
}

/**
 * Creates the pod of a resource on the Node of its name. It has no owner reference: a deletion with
 * `--cascade=foreground` would have Kubernetes delete the pod first, with all that depends on it.
 */
export function createPod(resource: KubernetesObject): Write {
  const { template } = resource.spec as { template: { metadata?: KubernetesObject["metadata"]; spec: object } };
  const { kind, metadata } = resource;
  const { name, uid, namespace } = metadata;
  const object = {
    apiVersion: Pod.apiVersion,
    kind: Pod.kind,
    metadata: {
      name: podNameOf(kind, name),
      namespace,
      labels: { ...template.metadata?.labels, [agentKey]: kind },
      annotations: {
        ...template.metadata?.annotations,
        [templateKey]: digestOf(template),
        [agentUidKey]: uid,
        [agentLockKey]: lockOf(resource).slice(lockPrefix.length),
      },
    },
    // The Node is known, as a DaemonSet's is; the scheduler would leave the pod pending on a Node that is cordoned.
    spec: { ...template.spec, nodeName: name },
  };
  return { verb: "create", kind: Pod, object: object as unknown as KubernetesObject };
}

/** Deletes the very pod that was read; without waiting for its kubelet where that is off. */
export const deletePod = ({ metadata: { namespace, name, uid } }: PodObject, isKubeletOff = false): Write => ({
  ...{ verb: "delete", kind: Pod, namespace, name },
  options: { uid, ...(isKubeletOff ? { gracePeriodSeconds: 0 } : {}) },
});
