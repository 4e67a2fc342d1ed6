import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { LivenessCheck } from "../liveness/liveness-check.ts";
import { computesIn, conditionOf, l2Pod, openStackIn, podIn, recordKey, serversOn } from "./resources.ts";

/** What is to leave has left, and every server runs, or is off, somewhere. */
const evictionsEnd: LivenessCheck = {
  name: "evictions-end",
  check(truth) {
    const computes = computesIn(truth);
    const going = computes.find(({ metadata }) => metadata.deletionTimestamp);
    const message = conditionOf(going, "Converged")?.message;
    if (going) return `NovaComputeNode ${going.metadata.name} is still there (${message}).`;
    const { instances } = openStackIn(truth).standIn.cloud;
    const lost = [...instances.values()].find(({ status, task }) => !["ACTIVE", "SHUTOFF"].includes(status) || task);
    if (lost) return `Server ${lost.name} is ${lost.status} (${lost.task}), and not at rest.`;
    // With faults, one may be deleted before Holdfast holds it, and is gone at once.
    const gone = truth.changes.flatMap(({ before, after }) =>
      before?.kind === "NovaComputeNode" && (truth.calm || before.metadata.deletionTimestamp) && !after ? before : [],
    );
    const cleared = [...gone, ...computes.filter(({ spec }) => spec?.state === "DisabledAndCleared")];
    const full = cleared.find(({ metadata }) => serversOn(truth, metadata.name).length > 0)?.metadata.name;
    return full && `${serversOn(truth, full).length} servers are still on ${full}.`;
  },
};

/** What stays serves, unless a person has disabled it, and has no eviction that goes on. */
export const whatStaysServes: LivenessCheck = {
  name: "what-stays-serves",
  check(truth) {
    const { hosts } = openStackIn(truth).standIn.cloud;
    const staying = computesIn(truth).filter(
      ({ spec, metadata }) => spec?.state === "Enabled" && !metadata.deletionTimestamp,
    );
    const service = staying
      .map(({ metadata }) => hosts.get(metadata.name))
      .find((one) => !one?.isEnabled && one?.reason !== "a person's");
    if (service) return `nova-compute of ${service.name} is to stay, and is disabled: ${service.reason}.`;
    const begun = staying.find(({ metadata }) => metadata.annotations?.[recordKey] !== undefined)?.metadata.name;
    return begun && `NovaComputeNode ${begun} is to stay, and has the record of its eviction.`;
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
export const liveness: readonly LivenessCheck[] = [l2AgentsAreReplaced, whatStaysServes, evictionsEnd];
