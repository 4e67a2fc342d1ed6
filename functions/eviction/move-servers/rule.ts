import { chainRule } from "../../../shared/chain/chain-rule.ts";
import { noted } from "../lib/compute-node.ts";
import { eviction } from "../lib/eviction.ts";
import { emptyTwiceAfter } from "../lib/let-go.ts";
import { recordKey, retryKey } from "../lib/names.ts";
import { nextCall } from "../lib/next-call.ts";
import { mayLook } from "../lib/permissions.ts";
import { isEmpty } from "../lib/plan.ts";

export const moveServers = chainRule(eviction, "move-servers", {
  doc: "Moves the servers of a host away, a few at a time, confirms cold moves, and checks twice that it is empty.",
  permissions: mayLook(
    { annotations: [recordKey, retryKey] },
    "to note which servers move, and since when its host is empty",
  ),
  act: (context) => {
    const { facts, record, now, act, pause, wait } = context;
    if (!facts.seen || !record) return [wait()];
    const { host } = facts.seen;
    if (isEmpty(host)) {
      const since = record.empty ?? new Date(host.at).toISOString();
      const again = now + Math.max(1000, Date.parse(since) + emptyTwiceAfter - host.at);
      const writes = record.empty ? [] : [noted(context, { ...record, empty: since })];
      return [pause("The host is empty. Holdfast checks this once more.", again, writes)];
    }
    const { empty: _, ...filled } = record;
    if (record.empty) return [act("A server has come to the host.", [noted(context, filled as typeof record)])];
    return [nextCall(context) ?? wait()];
  },
});
