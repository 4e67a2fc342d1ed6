import { disableCompute } from "../../../functions/eviction/disable-compute/rule.ts";
import { enableCompute } from "../../../functions/eviction/enable-compute/rule.ts";
import { evacuateServers } from "../../../functions/eviction/evacuate-servers/rule.ts";
import type { EvictionRecord } from "../../../functions/eviction/lib/compute-node.ts";
import { factsOf } from "../../../functions/eviction/lib/eviction.ts";
import { NovaComputeNode } from "../../../functions/eviction/lib/kinds.ts";
import type { ComputeService } from "../../../functions/eviction/lib/openstack/nova.ts";
import type { OpenStack } from "../../../functions/eviction/lib/openstack/system.ts";
import { moveServers } from "../../../functions/eviction/move-servers/rule.ts";
import { releaseCompute } from "../../../functions/eviction/release-compute/rule.ts";
import { replaceAgent } from "../../../functions/eviction/replace-agent/rule.ts";
import type { Decision } from "../../../shared/decision.ts";
import { minute } from "../../../shared/duration.ts";
import type { Command } from "../../../shared/system/command.ts";
import { changed, faulty, type Mutant, seeing } from "../mutants/mutant.ts";

const by = "fault-free runs" as const;

/** What the rule would see if it looked at each step, with nothing on the host. */
const empty: typeof releaseCompute.look = seeing(moveServers, (facts) => {
  const seen = facts.seen.map((one) => {
    if (one.facts.is !== "ready" || !one.facts.seen) return one;
    const { compute, host, settings } = one.facts.seen;
    const record = compute.record && { ...compute.record, empty: compute.record.begun };
    const none = { ...host, servers: [], migrations: [], arrivals: [] };
    return { ...one, facts: factsOf({ ...compute, record }, none, one.facts.suspect?.outage, settings) };
  });
  return { ...facts, seen, sharer: undefined };
});

/** Whether a decision waits for OpenStack, which is away. */
const isAway = (decision: Decision): decision is Extract<Decision, { do: "write" }> =>
  decision.do === "write" && decision.step?.name === "away";

/** As if Nova had nova-compute, just before the call, as the rule has seen it. */
function unwary(decision: Decision): Decision {
  if (decision.do !== "call") return decision;
  const { command } = decision;
  const send: Command["send"] = (client, input) => {
    const { nova, ...others } = client as OpenStack;
    const service = async () => (input as { readonly service: ComputeService }).service;
    return command.send({ ...others, nova: { ...nova, service } }, input);
  };
  return { ...decision, command: { ...command, send } };
}

/** As if calls of more than a minute before `at` had never been made. */
function forgetful<Noted extends { readonly record: EvictionRecord | undefined }>(one: Noted, at: number): Noted {
  const { record } = one;
  const left = Object.entries(record?.called ?? {}).filter(([, call]) => at - Date.parse(call.at) < minute);
  return record ? { ...one, record: { ...record, called: Object.fromEntries(left) } } : one;
}

/** A compute node as if Ironic had agreed to turn its machine off, whenever that was. */
function asked<Noted extends { readonly record: EvictionRecord | undefined }>(one: Noted): Noted {
  const { record } = one;
  return record?.down ? { ...one, record: { ...record, accepted: record.down.since } } : one;
}

/** Functions with a fault each. */
export const mutants: readonly Mutant[] = [
  {
    name: "replaces-under-locks",
    doc: "Replaces an L2 agent at once: its pod is back within seconds.",
    scenarios: ["l2-agent-updated"],
    by,
    within: 2,
    ...faulty(replaceAgent, {
      look: async (...args) =>
        (await replaceAgent.look(...args)).map((one) => ({ ...one, node: one.node && asFree(one.node) })),
      decide: changed(replaceAgent, (decision) =>
        decision.do === "write" ? { ...decision, preconditions: [] } : decision,
      ),
    }),
  },
  {
    name: "never-replaces",
    doc: "Leaves the pod of an L2 agent as it was made: it works.",
    scenarios: ["l2-agent-updated"],
    by,
    within: 2,
    ...faulty(replaceAgent, {
      look: async (...args) => (await replaceAgent.look(...args)).map((one) => ({ ...one, mustGo: false })),
    }),
  },
  {
    name: "releases-what-moves",
    doc: "Lets pod and lock go once the moves are under way: Nova ends what it has begun.",
    scenarios: ["compute-node-deleted"],
    by,
    within: 4,
    ...faulty(releaseCompute, { look: empty }),
  },
  {
    name: "unlocks-first",
    doc: "Takes the lock off as soon as the servers have left: a pod without servers needs no network.",
    scenarios: ["compute-node-deleted"],
    by,
    within: 4,
    ...faulty(releaseCompute, {
      look: seeing(releaseCompute, (facts) => ({
        ...facts,
        seen: facts.seen.map((one) => ({ ...one, pods: [] })),
      })),
    }),
  },
  {
    name: "says-evicted-early",
    doc: "Says of a host that is to be cleared that it is evicted as soon as its moves are under way.",
    scenarios: ["eviction-called-off"],
    by,
    within: 4,
    ...faulty(releaseCompute, { look: empty }),
  },
  {
    name: "enables-all-that-stays",
    doc: "Enables each nova-compute that is to stay: its resource says Enabled.",
    scenarios: ["disabled-by-a-person"],
    by,
    within: 4,
    ...faulty(enableCompute, {
      look: async (...args) =>
        (await enableCompute.look(...args)).map((facts) => {
          if (facts.at !== "seen" || !facts.host || facts.host.service.isEnabled) return facts;
          const { namespace, name } = facts.compute.object.metadata;
          const disabledReason = `Holdfast evicts NovaComputeNode ${namespace}/${name} `;
          return { ...facts, host: { ...facts.host, service: { ...facts.host.service, disabledReason } } };
        }),
      decide: (...given) => enableCompute.decide(...given).map(unwary),
    }),
  },
  {
    name: "leaves-it-disabled",
    doc: "Leaves a nova-compute disabled that was to leave: a person may enable it.",
    scenarios: ["eviction-called-off"],
    by,
    within: 2,
    ...faulty(enableCompute, { decide: () => [] }),
  },
  {
    name: "never-lets-go",
    doc: "Leaves an empty host with its pod and its lock.",
    scenarios: ["compute-node-deleted"],
    by,
    within: 2,
    ...faulty(releaseCompute, { decide: () => [] }),
  },
  {
    name: "silent-about-openstack",
    doc: "Says nothing while OpenStack is away, because the sweep comes back anyway.",
    scenarios: ["compute-node-deleted"],
    by: "outages",
    within: 30,
    inScenariosOnly: true,
    ...faulty(disableCompute, {
      decide: changed(disableCompute, (decision) =>
        isAway(decision) ? { ...decision, message: "It waits.", writes: [] } : decision,
      ),
    }),
  },
  {
    name: "forgets-while-openstack-is-away",
    doc: "Plans no further look at a host that serves again while OpenStack is away: an event says when it has.",
    scenarios: ["two-hosts-cleared"],
    by: "outages",
    within: 20,
    inScenariosOnly: true,
    ...faulty(enableCompute, {
      decide: (...given) => enableCompute.decide(...given).filter((decision) => !isAway(decision)),
    }),
  },
  {
    name: "asks-about-every-host",
    doc: "Looks at the servers of all hosts before it moves one, so that no more than a few are under way.",
    scenarios: ["two-hosts-cleared"],
    by: "outages",
    within: 20,
    inScenariosOnly: true,
    ...faulty(moveServers, {
      look: async (subject, view) => {
        for await (const { metadata } of view.client.list(NovaComputeNode, { namespace: "yaook" }))
          await view.openstack.nova.servers(metadata.name);
        return moveServers.look(subject, view);
      },
    }),
  },
  {
    name: "evacuates-again",
    doc: "Calls Nova again a minute after a call to evacuate of which nothing has come, as it does for a move.",
    scenarios: ["host-lost"],
    by: "outages",
    within: 20,
    inScenariosOnly: true,
    ...faulty(evacuateServers, {
      look: seeing(evacuateServers, ({ seen }) => {
        return {
          seen: seen.map((one) => {
            const { facts } = one;
            if (facts.is !== "ready" || !facts.seen) return one;
            const { compute, host, settings } = facts.seen;
            const forgotten = forgetful(compute, host.at);
            return { ...forgetful(one, host.at), facts: factsOf(forgotten, host, facts.suspect?.outage, settings) };
          }),
        };
      }),
    }),
  },
  {
    name: "takes-it-for-off",
    doc: "Takes a machine for off although Ironic does not answer: it is down, as if Ironic was asked to turn it off.",
    scenarios: ["host-lost"],
    by: "outages",
    within: 20,
    inScenariosOnly: true,
    ...faulty(evacuateServers, {
      look: async (subject, view) => {
        const { ironic } = view.openstack;
        const off = { isOff: true, state: "power off", target: undefined };
        const power = (node: string) => ironic.power(node).catch(() => off);
        const openstack = { ...view.openstack, ironic: { ...ironic, power } };
        const found = await evacuateServers.look(subject, { ...view, openstack });
        const seen = found.seen.map((one) => {
          const { facts } = one;
          if (facts.is !== "ready" || !facts.seen) return one;
          const { compute, host, settings } = facts.seen;
          return { ...asked(one), facts: factsOf(asked(compute), host, facts.suspect?.outage, settings) };
        });
        return { ...found, seen };
      },
    }),
  },
];

function asFree<Node extends { readonly metadata: { readonly labels?: object; readonly annotations?: object } }>(
  node: Node,
): Node {
  const labels = { ...node.metadata.labels, "maintenance.yaook.cloud/maintenance-required-l2-agent": "True" };
  return { ...node, metadata: { ...node.metadata, labels, annotations: {} } };
}
