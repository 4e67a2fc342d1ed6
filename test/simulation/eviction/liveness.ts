import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { LivenessCheck } from "../liveness/liveness-check.ts";
import { host } from "./openstack.ts";
import { computeIn, conditionOf, l2Pod, openStackIn, podIn, serversOn } from "./resources.ts";

/** What is to leave has left, and every server runs, or is off, somewhere. */
const evictionsEnd: LivenessCheck = {
  name: "evictions-end",
  check(truth) {
    const compute = computeIn(truth);
    const message = conditionOf(compute, "Converged")?.message;
    if (compute?.metadata.deletionTimestamp) return `NovaComputeNode ${host} is still there (${message}).`;
    const { instances } = openStackIn(truth).standIn.cloud;
    const lost = [...instances.values()].find(({ status, task }) => !["ACTIVE", "SHUTOFF"].includes(status) || task);
    if (lost) return `Server ${lost.name} is ${lost.status} (${lost.task}), and not at rest.`;
    const left = serversOn(truth).length;
    const isCleared = compute === undefined || compute.spec?.state === "DisabledAndCleared";
    return isCleared && left > 0 ? `${left} servers are still on ${host}.` : undefined;
  },
};

/** What stays serves, unless a person has disabled it. */
const whatStaysServes: LivenessCheck = {
  name: "what-stays-serves",
  check(truth) {
    const compute = computeIn(truth);
    if (compute?.spec?.state !== "Enabled") return undefined;
    const service = openStackIn(truth).standIn.cloud.hosts.get(host);
    return service?.isEnabled || service?.reason === "a person's"
      ? undefined
      : `nova-compute of ${host} is to stay, and is disabled: ${service?.reason}.`;
  },
};

/** The pod of an L2 agent is of the template that a person has agreed to. */
const l2AgentsAreReplaced: LivenessCheck = {
  name: "l2-agents-are-replaced",
  check(truth) {
    const [agent] = truth.history.live("NeutronL2Agent") as readonly AgentLike[];
    const wanted = agent?.spec.template.metadata.labels.version;
    const has = podIn(truth, l2Pod)?.metadata.labels?.version;
    return agent && has !== wanted ? `The pod of the L2 agent has version ${has}, and not ${wanted}.` : undefined;
  },
};

interface AgentLike extends KubernetesObject {
  readonly spec: { readonly template: { readonly metadata: { readonly labels: { readonly version?: string } } } };
}

/** What must have come about in the end where evictions are installed. */
export const liveness: readonly LivenessCheck[] = [l2AgentsAreReplaced, evictionsEnd, whatStaysServes];
