import { grantedKey } from "../../../shared/budget/budget.ts";
import { chainRule, type Seen } from "../../../shared/chain/chain-rule.ts";
import { Node } from "../../../shared/kubernetes/kind.ts";
import { Lease } from "../../../shared/kubernetes/lease.ts";
import { silent } from "../../../shared/steps.ts";
import { type Budget, mayBegin, readBudget, registerName } from "../lib/beginning.ts";
import { begins, type ComputeNode, type EvictionRecord, noMoves, noted } from "../lib/compute-node.ts";
import { type EvictionFacts, eviction } from "../lib/eviction.ts";
import { changing, newestOf, reasonFor } from "../lib/host.ts";
import { NovaComputeNode } from "../lib/kinds.ts";
import { recordKey } from "../lib/names.ts";
import type { ComputeService } from "../lib/openstack/nova.ts";
import { mayLook, mayRecordEvents } from "../lib/permissions.ts";

export const disableCompute = chainRule(eviction, "disable-compute", {
  doc: "Begins the eviction of a host when a person has agreed and the budget allows it: disables its nova-compute.",
  permissions: [
    ...mayLook(
      { annotations: [recordKey] },
      "to see whether a person has agreed, and to note that its eviction begins",
    ),
    mayRecordEvents,
    { resource: NovaComputeNode, verbs: ["list"], why: "to count the hosts that are out of service" },
    { resource: Node, verbs: ["list"], why: "to see which hosts are not Ready, and in which group each is" },
    {
      resource: Lease,
      verbs: ["create"],
      why: "to create the register of evictions that have begun, when it is missing",
      ownNamespace: true,
      bounds: [
        { on: ["create"], says: `creates the Lease ${registerName}`, cel: `object.metadata.name == "${registerName}"` },
      ],
    },
    {
      resource: Lease,
      names: [registerName],
      verbs: ["get", "patch"],
      why: "to note which eviction may begin, so that two do not begin at once",
      ownNamespace: true,
      writes: { annotations: [grantedKey] },
    },
  ],
  steps: { called: silent },
  look: async (_, { client, settings }, look): Promise<Seen<ComputeNode, EvictionFacts> & Beginning> => {
    const seen = await look();
    const isAsked = seen.some((one) => one.facts.is === "ready" && one.facts.at === "seen" && begins(one));
    return { seen, budget: isAsked ? await readBudget(client, settings) : undefined };
  },
  act: (context, { budget }) => {
    const { object, facts, record, wanted, standing, now, next, about, shows } = context;
    // What is waited for is an annotation, which comes as an event.
    if (facts.at !== "seen") return [about.write(standing.message, shows(), { step: { name: "waiting" } })];
    if (begins(context) && !budget) return [about.leave("The budget was not read.")];
    const beginning = begins(context) && budget ? mayBegin(context, budget, facts.settings, now) : { writes: [] };
    if ("message" in beginning) {
      const { message } = beginning;
      return [about.write(message, shows({ message }), { step: { name: "waiting" }, next: beginning.next ?? next })];
    }
    const { service } = facts.host;
    const { uid } = object.metadata;
    const baseline = wanted === "disable" ? noMoves : newestOf(facts.host);
    const begun = { v: 1, uid, begun: new Date(now).toISOString(), baseline };
    const { empty, ...filled } = record ?? {};
    // It was enabled again: what was seen before is no proof that nothing is on its way to it.
    const again = empty === undefined ? [] : [noted(context, filled as EvictionRecord)];
    // What was granted comes before the note: of two that begin at once, one looks again.
    const writes = record && !begins(context) ? again : [...beginning.writes, noted(context, begun)];
    const message = `nova-compute of ${service.host} is being disabled.`;
    if (!service.isEnabled) return [about.write(message, [...writes, ...shows()], { step: { name: "acting" }, next })];
    const command = disableService({ service, reason: reasonFor(object) });
    return [about.call(message, { step: { name: "called" }, writes: [...writes, ...shows()], command, next })];
  },
});

/** Read only where an eviction is about to begin. */
interface Beginning {
  readonly budget: Budget | undefined;
}

/** Keeps new servers from a host. */
const disableService = changing(
  "disable nova-compute of a host",
  (nova, { service, reason }: { readonly service: ComputeService; readonly reason: string }) =>
    nova.disable(service.id, reason),
);
