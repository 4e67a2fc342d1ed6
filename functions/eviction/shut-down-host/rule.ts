import { chainRule } from "../../../shared/chain/chain-rule.ts";
import { minute } from "../../../shared/duration.ts";
import { command } from "../../../shared/system/command.ts";
import { noted, replaceRecord } from "../lib/compute-node.ts";
import { eviction } from "../lib/eviction.ts";
import { recordKey } from "../lib/names.ts";
import { unlessRefused } from "../lib/openstack/answer.ts";
import { openstack } from "../lib/openstack/system.ts";
import { isForced, isNeverDown, lifeOf, machineOf, stillNotReady } from "../lib/outage.ts";
import { mayLook } from "../lib/permissions.ts";

export const shutDownHost = chainRule(eviction, "shut-down-host", {
  doc: "Turns off a host that is down, by Ironic if its spec says so, and waits until the host is off.",
  permissions: mayLook({ annotations: [recordKey] }, "to note when its host was turned off"),
  isElsewhere: isNeverDown,
  act: (context) => {
    const { facts, compute, record, standing, call, wait } = { compute: context, ...context };
    const host = facts.suspect;
    const node = machineOf(compute);
    // What was forced down and is on again, a person may have turned on: a person decides about it.
    if (!host || !record || !node || isForced(host) || lifeOf(host)) return [wait()];
    const isUnderWay = host.outage.power?.target !== undefined;
    if (isUnderWay || host.host.at - Date.parse(record.shutdown ?? "") < minute) return [wait()];
    const written = { ...record, shutdown: new Date(host.host.at).toISOString() };
    const unsent = replaceRecord(context, JSON.stringify(written), record);
    const preconditions = stillNotReady(compute);
    return [call(standing.message, powerOff({ node }), [noted(context, written)], { preconditions, unsent })];
  },
});

/** 409: a change of power is under way, which the next look sees. */
const powerOff = command(
  openstack,
  "turn a host off",
  async ({ ironic }, { node }: { readonly node: string }) => void (await unlessRefused(ironic.powerOff(node), 409)),
);
