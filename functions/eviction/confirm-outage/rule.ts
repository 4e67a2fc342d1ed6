import { chainRule } from "../../../shared/chain/chain-rule.ts";
import { noted } from "../lib/compute-node.ts";
import { eviction } from "../lib/eviction.ts";
import { recordKey } from "../lib/names.ts";
import { downOf, timeText } from "../lib/outage.ts";
import { mayLook } from "../lib/permissions.ts";

export const confirmOutage = chainRule(eviction, "confirm-outage", {
  doc: "Notes since when both Nova and Kubernetes say that a host is down, and shows the result of each check.",
  permissions: mayLook({ annotations: [recordKey] }, "to note since when its host is down"),
  act: (context) => {
    const { facts, record, standing, act, wait } = context;
    if (!facts.suspect || !record) return [wait()];
    const down = downOf(facts.suspect);
    if (down === record.down) return [wait()];
    // What was seen when it was forced down is of the outage before, and so is a refusal. The tries after one are not
    // noted: the last of them may still be carried out.
    const { down: _, forced: __, refused, ...up } = record;
    const last = refused === undefined ? {} : { hard: timeText(facts.suspect.host.at) };
    return [act(standing.message, [noted(context, { ...up, ...last, ...(down ? { down } : {}) })])];
  },
});
