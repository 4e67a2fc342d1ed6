import { chainRule } from "../../../shared/chain/chain-rule.ts";
import { minute } from "../../../shared/duration.ts";
import { command } from "../../../shared/system/command.ts";
import { noted, replaceRecord } from "../lib/compute-node.ts";
import { eviction } from "../lib/eviction.ts";
import { NovaComputeNode } from "../lib/kinds.ts";
import { recordKey } from "../lib/names.ts";
import { openstack } from "../lib/openstack/system.ts";
import { isForced, isNeverDown, lifeOf, machineIn, machineOf, stillNotReady } from "../lib/outage.ts";
import { mayLook } from "../lib/permissions.ts";
import type { DependentObject } from "../lib/schema.ts";

export const shutDownHost = chainRule(eviction, "shut-down-host", {
  doc: "Turns off a host that is down, by Ironic if its spec says so, and waits until the host is off.",
  permissions: [
    ...mayLook({ annotations: [recordKey] }, "to note when its host was turned off"),
    { resource: NovaComputeNode, verbs: ["list"], why: "to see whether another host names the same machine" },
  ],
  isElsewhere: isNeverDown,
  look: async (_, { client, settings }, look) => {
    const seen = await look();
    const isAsked = seen.some((one) => one.facts.is === "ready" && one.facts.suspect && machineOf(one) !== undefined);
    const all = client.list<DependentObject>(NovaComputeNode, { namespace: settings.agentNamespace });
    return { seen, others: isAsked ? await Array.fromAsync(all) : [] };
  },
  act: (context, { others }) => {
    const { facts, compute, record, standing, next, call, pause, wait } = { compute: context, ...context };
    const host = facts.suspect;
    const node = machineOf(compute);
    // What was forced down and is on again, a person may have turned on: a person decides about it.
    if (!host || !record || !node || isForced(host) || lifeOf(host)) return [wait()];
    const twin = others.find((one) => one.metadata.uid !== compute.object.metadata.uid && machineIn(one) === node);
    if (twin) {
      const why = `NovaComputeNode ${twin.metadata.name} names the machine ${node}, too. Holdfast turns it off`;
      return [pause(`${standing.message} ${why} only if one host names it. Correct the wrong spec.eviction.`, next)];
    }
    const isUnderWay = host.outage.power?.target !== undefined;
    if (isUnderWay || host.host.at - Date.parse(record.shutdown ?? "") < minute) return [wait()];
    const shutdown = new Date(host.host.at).toISOString();
    const written = { ...record, shutdown };
    const becomes = (to: typeof record) => replaceRecord(context, JSON.stringify(written), to);
    // A refusal is no answer: what Ironic shows then may be old, and it is asked again.
    const end = { answered: becomes({ ...written, accepted: shutdown }), unsent: becomes(record) };
    const preconditions = stillNotReady(compute);
    return [call(standing.message, powerOff({ node }), [noted(context, written)], { preconditions, ...end })];
  },
});

const powerOff = command(openstack, "turn a host off", ({ ironic }, { node }: { readonly node: string }) =>
  ironic.powerOff(node),
);
