import { enableCompute } from "../../../functions/eviction/enable-compute/rule.ts";
import { moveServers } from "../../../functions/eviction/move-servers/rule.ts";
import { releaseCompute } from "../../../functions/eviction/release-compute/rule.ts";
import { replaceAgent } from "../../../functions/eviction/replace-agent/rule.ts";
import { type Mutant, starting } from "../mutants/mutant.ts";

const by = "fault-free runs" as const;

/** What the rule would see if it looked at each step, with nothing on the host. */
const empty: typeof releaseCompute.look = async (...args) => {
  const facts = await moveServers.look(...args);
  const seen = facts.seen.map((one) => {
    if (one.facts.is !== "ready" || one.facts.at !== "seen") return one;
    const { compute, host } = one.facts;
    const record = compute.record && { ...compute.record, empty: compute.record.begun };
    const none = { ...host, servers: [], migrations: [], arrivals: [] };
    return { ...one, facts: { ...one.facts, host: none, compute: { ...compute, record } } };
  });
  return { ...facts, seen };
};

/** Functions with a fault each. */
export const mutants: readonly Mutant[] = [
  {
    name: "replaces-under-locks",
    doc: "Replaces an L2 agent at once: its pod is back within seconds.",
    scenarios: ["l2-agent-updated"],
    by,
    within: 2,
    rule: replaceAgent.name,
    start: starting({
      ...replaceAgent,
      look: async (...args) => (await replaceAgent.look(...args)).map((one) => ({ ...one, node: asFree(one.node) })),
      decide: (...args) =>
        replaceAgent
          .decide(...args)
          .map((decision) => (decision.do === "write" ? { ...decision, preconditions: [] } : decision)),
    }),
  },
  {
    name: "never-replaces",
    doc: "Leaves the pod of an L2 agent as it was made: it works.",
    scenarios: ["l2-agent-updated"],
    by,
    within: 2,
    rule: replaceAgent.name,
    start: starting({
      ...replaceAgent,
      look: async (...args) => (await replaceAgent.look(...args)).map((one) => ({ ...one, mustGo: false })),
    }),
  },
  {
    name: "releases-what-moves",
    doc: "Lets pod and lock go once the moves are under way: Nova ends what it has begun.",
    scenarios: ["compute-node-deleted"],
    by,
    within: 4,
    rule: releaseCompute.name,
    start: starting({ ...releaseCompute, look: empty }),
  },
  {
    name: "unlocks-first",
    doc: "Takes the lock off as soon as the servers have left: a pod without servers needs no network.",
    scenarios: ["compute-node-deleted"],
    by,
    within: 4,
    rule: releaseCompute.name,
    start: starting({
      ...releaseCompute,
      look: async (...args) => {
        const facts = await releaseCompute.look(...args);
        return { ...facts, seen: facts.seen.map((one) => ({ ...one, pods: [] })) };
      },
    }),
  },
  {
    name: "says-evicted-early",
    doc: "Says of a host that is to be cleared that it is evicted as soon as its moves are under way.",
    scenarios: ["eviction-called-off"],
    by,
    within: 4,
    rule: releaseCompute.name,
    start: starting({ ...releaseCompute, look: empty }),
  },
  {
    name: "enables-whatever-stays",
    doc: "Enables each nova-compute that is to stay: its resource says Enabled.",
    scenarios: ["disabled-by-a-person"],
    by,
    within: 4,
    rule: enableCompute.name,
    start: starting({
      ...enableCompute,
      look: async (...args) =>
        (await enableCompute.look(...args)).map((facts) => {
          if (facts.at !== "seen" || !facts.host || facts.host.service.isEnabled) return facts;
          const { namespace, name } = facts.compute.object.metadata;
          const disabledReason = `Holdfast evicts NovaComputeNode ${namespace}/${name} `;
          return { ...facts, host: { ...facts.host, service: { ...facts.host.service, disabledReason } } };
        }),
    }),
  },
  {
    name: "leaves-it-disabled",
    doc: "Leaves a nova-compute disabled that was to leave: a person may enable it.",
    scenarios: ["eviction-called-off"],
    by,
    within: 2,
    rule: enableCompute.name,
    start: starting({ ...enableCompute, decide: () => [] }),
  },
  {
    name: "never-lets-go",
    doc: "Leaves an empty host with its pod and its lock.",
    scenarios: ["compute-node-deleted"],
    by,
    within: 2,
    rule: releaseCompute.name,
    start: starting({ ...releaseCompute, decide: () => [] }),
  },
];

function asFree<Node extends { readonly metadata: { readonly labels?: object; readonly annotations?: object } }>(
  node: Node,
): Node {
  const labels = { ...node.metadata.labels, "maintenance.yaook.cloud/maintenance-required-l2-agent": "True" };
  return { ...node, metadata: { ...node.metadata, labels, annotations: {} } };
}
