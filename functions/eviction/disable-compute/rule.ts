import { grant, grantedKey, type Member, readGranted } from "../../../shared/budget/budget.ts";
import { limitsOf, mayBegin, type Waits } from "../../../shared/budget/limits.ts";
import { chainRule } from "../../../shared/chain/chain-rule.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { Node } from "../../../shared/kubernetes/kind.ts";
import { Lease } from "../../../shared/kubernetes/lease.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { mayTakeLease } from "../../../shared/may-take-lease.ts";
import { ownNamespace } from "../../../shared/own-namespace.ts";
import { begins, type ComputeNode, isClearing, noMoves, noted, readRecord } from "../lib/compute-node.ts";
import { isApproved, isEnabled, lateFor, seemsUnused, wantedOf } from "../lib/dependent.ts";
import { eviction } from "../lib/eviction.ts";
import { changing, newestOf, reasonFor } from "../lib/host.ts";
import { NovaComputeNode } from "../lib/kinds.ts";
import { recordKey } from "../lib/names.ts";
import type { ComputeService } from "../lib/openstack/nova.ts";
import { isNotReady } from "../lib/outage.ts";
import { mayLook } from "../lib/permissions.ts";
import type { DependentObject } from "../lib/schema.ts";
import type { Common } from "../lib/settings.ts";

/** The Lease that notes which hosts may leave. */
const registerName = "holdfast-eviction-budget";

export const disableCompute = chainRule(eviction, "disable-compute", {
  doc: "Begins the eviction of a host when a person has agreed and the budget allows it: disables its nova-compute.",
  permissions: [
    ...mayLook({ annotations: [recordKey] }, "to see that a person has agreed, and to note that its eviction begins"),
    { resource: NovaComputeNode, verbs: ["list"], why: "to count the hosts that are out of service" },
    { resource: Node, verbs: ["list"], why: "to see which hosts are not Ready, and in which group each is" },
    ...mayTakeLease(registerName, "to note which eviction may begin, so that two do not begin at once", {
      annotations: [grantedKey],
    }),
  ],
  look: async (_, { client, settings }, look) => {
    const seen = await look();
    // Read only where an eviction is about to begin.
    const isAsked = seen.some((one) => one.facts.is === "ready" && one.facts.seen && begins(one));
    return { seen, budget: isAsked ? await readBudget(client, settings) : undefined };
  },
  act: (context, { budget }) => {
    const { object, facts, record, wanted, standing, now, next, about, act, call, pause } = context;
    // What is waited for is an annotation, which comes as an event; or Nova shows later that nothing is there.
    if (!facts.seen) return [pause(standing.message, seemsUnused(context) ? now + lateFor : undefined)];
    const { host, settings } = facts.seen;
    const { service } = host;
    if (begins(context) && !budget) return [about.leave("The budget was not read.")];
    const beginning = begins(context) && budget ? beginningOf(context, budget, settings, now) : { writes: [] };
    if ("message" in beginning) return [pause(beginning.message, beginning.next ?? next)];
    const { uid } = object.metadata;
    const baseline = wanted === "disable" ? noMoves : newestOf(host);
    const begun: typeof record = { v: 1, uid, begun: new Date(now).toISOString(), service: service.id, baseline };
    const { empty, ...filled } = record ?? begun;
    // It was enabled again: what was seen before is no proof that nothing is on its way to it.
    const again = empty === undefined ? [] : [noted(context, filled as typeof begun)];
    // What was granted comes before the note: of two that begin at once, one looks again.
    const writes = record && !begins(context) ? again : [...beginning.writes, noted(context, begun)];
    const message = `nova-compute of ${service.host} is being disabled.`;
    if (!service.isEnabled) return [act(message, [], writes)];
    return [call(message, disableService({ service, reason: reasonFor(object) }), writes)];
  },
});

const disableService = changing(
  "disable nova-compute of a host",
  (nova, { service, reason }: { readonly service: ComputeService; readonly reason: string }) =>
    nova.disable(service.id, reason),
);

type Budget = Awaited<ReturnType<typeof readBudget>>;

/** Who is out and who may go out. The register is read before what it counts. @throws ApiError */
async function readBudget(client: Client, settings: Common) {
  const { agentNamespace, evictionGroupLabel } = settings;
  const namespace = ownNamespace();
  const register = await client.get(Lease, namespace, registerName);
  const nodes = new Map<string, KubernetesObject>();
  for await (const node of client.list(Node)) nodes.set(node.metadata.name, node);
  const members: Member[] = [];
  for await (const object of client.list<DependentObject>(NovaComputeNode, { namespace: agentNamespace })) {
    const { uid, name } = object.metadata;
    const node = nodes.get(name);
    const record = readRecord(object);
    const begun = isClearing(record);
    members.push({
      ...{ uid, name, group: node?.metadata.labels?.[evictionGroupLabel] ?? "" },
      // The servers of a host that is only disabled run on: of several, one can be cleared.
      isOut: isNotReady(node) || begun || (record === undefined && !isEnabled(object)),
      isLeaving: begun || (isApproved(object, settings) && ["clear", "go"].includes(wantedOf(object, node))),
    });
  }
  return { register, namespace, members };
}

/** What must be written before an eviction begins, or what it waits for. A host that is down is out already. */
function beginningOf(
  { object, node }: ComputeNode,
  { register, namespace, members }: Budget,
  settings: Common,
  now: number,
): Waits | { readonly writes: readonly Write[] } {
  if (isNotReady(node)) return { writes: [] };
  const me = members.find(({ uid }) => uid === object.metadata.uid);
  if (!me) return { message: "The compute nodes have just changed. Holdfast looks at them again." };
  const words = { setting: "EVICTION_WINDOW", noun: "compute nodes" };
  const verdict = mayBegin(me, members, readGranted(register), limitsOf("eviction", settings), words, now);
  if ("message" in verdict) return verdict;
  return { writes: grant(register, { namespace, name: registerName }, verdict.granted) };
}
