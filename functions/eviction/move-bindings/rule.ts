import { chainRule } from "../../../shared/chain/chain-rule.ts";
import { beforeSending, command } from "../../../shared/system/command.ts";
import { agentEviction } from "../lib/agent-eviction.ts";
import { type AgentHost, keepsServing, noteMoving, type Transfer, takeBackMoving } from "../lib/agent-plan.ts";
import { lateFor, seemsUnused } from "../lib/dependent.ts";
import { NeutronOVNBGPAgent, servingAgents } from "../lib/kinds.ts";
import { conditions, movingKey, retryKey } from "../lib/names.ts";
import { openstack } from "../lib/openstack/system.ts";
import { mayLookAtAgents, mayShow } from "../lib/permissions.ts";

export const moveBindings = chainRule(agentEviction, "move-bindings", {
  doc: "Has other agents serve the routers, networks and BGP speakers of an agent that is to leave, a few at a time.",
  permissions: [
    ...mayLookAtAgents(servingAgents, { annotations: [movingKey, retryKey] }, "to note what moves to which agent"),
    // Nothing that Neutron lists moves from one of these.
    {
      resource: NeutronOVNBGPAgent,
      verbs: ["get", "patch"],
      writes: {},
      why: "to see whether it is to leave, and to note when it is looked at next",
    },
    ...mayShow([NeutronOVNBGPAgent], [conditions.converged], "what the eviction waits for"),
  ],
  act: (context) => {
    const { object, facts, moving, standing, now, act, call, pause, wait } = context;
    // What is waited for is an annotation, which comes as an event; or Neutron shows later that nothing is there, which
    // it never does of an OVN BGP agent.
    const mayBeShown = object.kind !== NeutronOVNBGPAgent.kind && seemsUnused(context);
    if (facts.at !== "seen") return [pause(standing.message, mayBeShown ? now + lateFor : undefined)];
    const { plan, host } = facts;
    const before = { agent: host.self.id, ...moving, moved: plan.moved, moving: plan.moving };
    const at = new Date(host.at).toISOString();
    if (object.metadata.annotations?.[retryKey] !== undefined) {
      const again = Object.entries(plan.moving).map(([id, move]) => [id, { ...move, at, tries: 1 }]);
      const record = { ...before, moving: Object.fromEntries(again) };
      return [act("A person has asked to try again.", [noteMoving(object, record, { [retryKey]: null })])];
    }
    if (!plan.next) return [wait(plan.moved > (moving?.moved ?? 0) ? [noteMoving(object, before)] : [])];
    const { id, add } = plan.next;
    const move = { to: add ?? plan.moving[id]?.to ?? "", at, tries: (plan.moving[id]?.tries ?? 0) + 1 };
    const message = `The ${host.service.noun} ${id} is being moved to another agent.`;
    // The record is the intent: of two instances that come so far, one is refused, because the other has written it.
    const written = { ...before, moving: { ...plan.moving, [id]: move } };
    const command = transfer({ ...host, ...plan.next });
    return [call(message, command, [noteMoving(object, written)], { unsent: takeBackMoving(object, written) })];
  },
});

/** A router that is on one agent alone is on none between two requests: one command makes that short. */
const transfer = command(
  openstack,
  "have another agent serve what an agent serves",
  async ({ neutron }, { service, leaving, id, before, add, after }: Transfer & AgentHost) => {
    for (const agent of before) await neutron.remove(service, agent, id);
    if (add !== undefined) await neutron.add(service, add, id);
    // Another one may have been refused: what is served by this one alone stays.
    const isAsked = before.length > 0 || add !== undefined;
    const look = () => neutron.agentsOf(service, id);
    const agents = after.length > 0 ? await (isAsked ? look() : beforeSending(look)) : [];
    const isServed = agents?.some((one) => keepsServing(one, leaving) && !after.includes(one.id)) ?? false;
    for (const agent of isServed ? after : []) await neutron.remove(service, agent, id);
  },
);
