import { type ChainPosition, type ChainStep, chain } from "../../../shared/chain/chain.ts";
import type { Facts, Looked } from "../../../shared/chain/facts.ts";
import { Contended } from "../../../shared/contended.ts";
import type { WantedCondition } from "../../../shared/kubernetes/condition.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readProgress } from "../../../shared/progress.ts";
import { on, type View } from "../../../shared/rule.ts";
import { due, resync, whileDeleting } from "../../../shared/sweep.ts";
import { type Command, command } from "../../../shared/system/command.ts";
import { type AgentHost, type AgentPlan, isMovingDamaged, keepsServing, planAgent, readMoving } from "./agent-plan.ts";
import { isReady } from "./agent-pod.ts";
import {
  approvalWanted,
  type Dependent,
  findDependent,
  isLeaving,
  mayBeNamed,
  outsideOf,
  seemsUnused,
  serves,
  unknownTo,
} from "./dependent.ts";
import { agents, kindOf } from "./kinds.ts";
import { emptyTwiceAfter, whileLettingGo } from "./let-go.ts";
import { agentFinalizer, annotating, conditions, evicting, movingKey } from "./names.ts";
import { bgp, dhcp, l3, type NetworkAgent, type Service } from "./openstack/neutron.ts";
import { openstack } from "./openstack/system.ts";
import { convergedReport, evictedReport } from "./report.ts";
import { type Common, common } from "./settings.ts";
import { saidByKeepPod, whyWithoutPod } from "./without-pod.ts";

type ChainView = View<Common, { readonly openstack: typeof openstack }>;

/** What the agents of a kind serve; an OVN BGP agent serves nothing that Neutron knows of. */
const services: Readonly<Record<string, Service>> = {
  NeutronL3Agent: l3,
  NeutronDHCPAgent: dhcp,
  NeutronBGPDRAgent: bgp,
};

/** An agent of Neutron with what is written down about its eviction. */
interface Agent extends Dependent {
  readonly moving: ReturnType<typeof readMoving>;
  /** The sweep asks for more than a change does. */
  readonly isResync: boolean;
  /** No eviction has begun, a call of the last one may still come, and a person is asked to agree to the next one. */
  readonly isAsked: boolean;
}

/**
 * What the steps of an agent's eviction depend on. `stays`: it serves, or its eviction was called off.
 * - `unapproved`: a person has to agree first
 * - `bare`: Neutron has nothing of it
 * - `unreported`: it stays, and Neutron does not know it yet
 * - `seen`: Neutron has answered
 */
type AgentFacts = { readonly agent: Agent; readonly stays: boolean } & (
  | { readonly is: "ready"; readonly at: "unapproved" | "bare" | "unreported" }
  | { readonly is: "ready"; readonly at: "seen"; readonly host: AgentHost; readonly plan: AgentPlan }
  | { readonly is: "abandoned"; readonly at: "abandoned" }
);

/** The rule of the last one. */
export const enabler = "eviction/enable-agent";

const goes = "other agents take over what it serves";

/** The steps of an agent's eviction, in their order, and the one back. Each is taken by a rule of the same name. */
const steps: readonly ChainStep<AgentFacts, string>[] = [
  {
    name: "move-bindings",
    doc: "Waits until a person agrees, then moves what the agent serves to other agents.",
    done: (facts) => (facts.at === "seen" ? isMoved(facts) : facts.at !== "unapproved"),
    waiting: (facts) => (facts.at === "seen" ? facts.plan.message : approvalWanted(facts.agent, goes)),
    stuck: (facts) =>
      facts.at === "seen" && facts.plan.stuck.length > 0 && !facts.plan.next && facts.plan.counters.in_progress === 0,
  },
  {
    name: "disable-agent",
    doc: "Keeps Neutron from giving the agent anything more. Done first, this would stop what the agent serves.",
    done: (facts) =>
      facts.stays ||
      facts.at !== "seen" ||
      (!facts.host.self.isEnabled && facts.host.at - Date.parse(facts.agent.moving?.disabled ?? "") >= emptyTwiceAfter),
    waiting: () => "The agent serves nothing. It is being disabled, and Holdfast checks it once more.",
  },
  {
    name: "release-agent",
    doc: "Deletes the pods, then removes the lock from the Node, and releases the resource last.",
    done: ({ stays }) => stays,
    waiting: ({ agent }) =>
      agent.wanted === "clear"
        ? "The agent is disabled, and serves nothing."
        : whileLettingGo(agent, "The agent serves nothing"),
  },
  {
    name: "enable-agent",
    doc: "Enables the agent again if Holdfast has disabled it.",
    done: () => false,
    waiting: (facts) => {
      if (facts.agent.isAsked) return approvalWanted(facts.agent, goes);
      const missing = whyWithoutPod(facts.agent);
      if (missing) return missing;
      if (facts.at === "unreported")
        return "The agent has not reported to Neutron yet. If this takes long, look at the log of its pod.";
      if (facts.at !== "seen" || facts.host.self.isEnabled) return "The agent serves.";
      return isSettled(facts)
        ? "The agent is disabled, but not by Holdfast. To enable it, run " +
            `\`openstack network agent set --enable ${facts.host.self.id}\``
        : "Holdfast enables the agent again when its pod is Ready and the agent reports to Neutron.";
    },
  },
];

/** How an agent of Neutron leaves, and comes back: what its rules have in common. */
export const agentEviction = chain({
  system: "eviction",
  kinds: agents,
  noun: "eviction",
  stuckReason: "EvictionStuck",
  steps,
  rule: {
    settings: common,
    common,
    systems: { openstack },
    triggers: agents.map((kind) => on(kind, ["update"])),
    sweep: agents.flatMap((kind) => [whileDeleting(kind, agentFinalizer), due(kind), resync(kind)]),
  },
  concerns: (object) => isLeaving(object) || !serves(object, enabler),
  find: async (subject, view: ChainView) =>
    (await findDependent(subject, view)).map(
      (one): Agent => ({
        ...one,
        moving: readMoving(one.object),
        isResync: subject.resync ?? false,
        isAsked: isAsked(one),
      }),
    ),
  look: lookAtAgent,
  conditions: report,
  again: ({ evictionLookAgain }) => evictionLookAgain,
});

/** Without the record only what enables it again has noted that its eviction was called off. */
const isAsked = ({ object, wanted, isApproved }: Dependent): boolean =>
  wanted !== "stay" &&
  !isApproved &&
  readMoving(object) === undefined &&
  services[object.kind] !== undefined &&
  readProgress(object, enabler) !== undefined;

async function lookAtAgent(agent: Agent, view: ChainView): Promise<Facts<AgentFacts>> {
  const { object, node, pods, wanted, isApproved, moving, isResync, isAsked } = agent;
  const { name } = object.metadata;
  const outside = outsideOf(agent);
  if (outside) return outside;
  if (isMovingDamaged(object)) {
    const message =
      `The annotation ${movingKey} of ${object.kind} ${name} is damaged, so Holdfast does not know which ` +
      "routers, networks or BGP speakers are between two agents. Restore the value of the annotation. If you cannot, " +
      "make sure in Neutron that a live agent serves each router, network and BGP speaker. If the agent is to stay " +
      "and its description begins with Holdfast evicts, run `openstack network agent set --enable ID` with its id. " +
      `Last, run ${annotating(object, `${movingKey}-`)}`;
    return { is: "halted", message };
  }
  const stays = wanted === "stay" || (!isApproved && moving !== undefined) || isAsked;
  const isAway = !node || (object.spec.template !== undefined && pods.length === 0);
  const isSaid = isAway || saidByKeepPod(agent) !== undefined;
  if (stays && ((serves(object, enabler) && !isResync) || isSaid) && !moving)
    return { is: "outside", message: `${object.kind} ${name} serves, or its pod is not on the Node yet.` };
  const unapproved = { is: "ready", at: "unapproved", agent, stays: false } as const;
  const isAgreed = stays || isApproved;
  if (!isAgreed && !seemsUnused(agent)) return unapproved;
  const service = services[object.kind];
  // Neutron lists nothing of such an agent: only a person knows whether it still serves.
  if (!service) return isAgreed ? { is: "ready", at: "bare", agent, stays } : unapproved;
  const { neutron } = view.openstack;
  const all = await neutron.agents(service);
  const self = all.find(({ host }) => host === name);
  if (!isAgreed) {
    // One that is dead and disabled gets nothing any more: it was evicted before. That Neutron lists no agent at all
    // proves nothing: a member of a project sees none.
    const isOver = self && !self.isAlive && !self.isEnabled && (await neutron.served(service, self.id)).length === 0;
    const isUnknown = !self && all.length > 0 && !mayBeNamed(all, object);
    return isOver || isUnknown ? { is: "abandoned", at: "abandoned", agent, stays } : unapproved;
  }
  if (self) {
    if ((moving?.agent ?? self.id) !== self.id) return anotherThan(self, service, agent);
    const host = await hostOf(self, all, service, agent, view);
    // When it is to stay, moves only end.
    const plan = planAgent(host, moving ?? { moving: {}, moved: 0 }, !stays, view.settings);
    return { is: "ready", at: "seen", agent, stays, host, plan };
  }
  if (isAsked) return unapproved;
  if (stays) return { is: "ready", at: "unreported", agent, stays };
  const look = "the account has the role admin";
  return unknownTo("Neutron", service.agentType, look, object, { at: "abandoned" as const, agent, stays });
}

/** Facts of an agent that is not the one with which the eviction began. */
function anotherThan(self: NetworkAgent, { agentType, noun }: Service, { object, moving }: Agent) {
  const ids = Object.keys(moving?.moving ?? {});
  const all = `every ${noun} that ${moving?.agent} had${ids.length > 0 ? `, also ${ids.join(", ")}` : ""}`;
  const message =
    `The eviction began with the ${agentType} ${moving?.agent}, but Neutron now has ${self.id} on ${self.host}, so ` +
    "Holdfast changes nothing in Neutron. If the Secret or the settings OS_* name another cloud or region than " +
    "before, correct them. If the agent was deleted in Neutron and has registered again, make sure that an agent " +
    `serves ${all}. Then run ${annotating(object, `${movingKey}-`)} to go on with ${self.id}.`;
  return { is: "halted", message } as const;
}

async function hostOf(
  self: NetworkAgent,
  all: readonly NetworkAgent[],
  service: Service,
  { object, moving }: Agent,
  { client, openstack: { neutron, nova }, settings }: ChainView,
): Promise<AgentHost> {
  const served = await neutron.served(service, self.id);
  const begun = Object.keys(moving?.moving ?? {});
  const next = served.filter(({ id }) => !begun.includes(id)).slice(0, settings.evictionMoves);
  const agentsOf: Record<string, readonly NetworkAgent[] | undefined> = {};
  for (const id of [...begun, ...next.map(({ id }) => id)]) agentsOf[id] = await neutron.agentsOf(service, id);
  // What an agent gives away that is to leave itself would be moved twice, or come back.
  const leaving: string[] = [];
  for await (const one of client.list(kindOf(object), { namespace: settings.agentNamespace }))
    if (one.metadata.name !== self.host && isLeaving(one)) leaving.push(one.metadata.name);
  const targets = all.filter((one) => one.id !== self.id && one.isCentral && keepsServing(one, leaving));
  return { object, service, self, served, agentsOf, leaving, targets, at: await nova.now() };
}

type SeenAgent = Extract<AgentFacts, { at: "seen" }>;

/** It is enabled, or was disabled by others than Holdfast, which leaves it so. */
export const isSettled = ({ host: { self }, agent: { object } }: SeenAgent): boolean =>
  self.isEnabled || !self.description.startsWith(beginning(object));

/**
 * What is still on its way counts as well: of a router that Neutron has on no agent, only the record knows. An agent
 * that stays is enabled while nothing can be asked: it may have to take back what no other one takes.
 */
function isMoved(facts: SeenAgent): boolean {
  const { stays, host, plan } = facts;
  if (stays && !plan.next && mayBeEnabled(facts)) return true;
  return Object.keys(plan.moving).length === 0 && (stays || host.served.length === 0);
}

/** Holdfast has disabled it, and it can serve. */
export const mayBeEnabled = (facts: SeenAgent): boolean =>
  !isSettled(facts) && facts.host.self.isAlive && facts.agent.pods.some(isReady);

/** As those of a NovaComputeNode: what `yaookctl` takes for an eviction. */
function report(
  { step, message, stuck }: ChainPosition,
  { facts, ...agent }: Looked<Agent, AgentFacts>,
): readonly WantedCondition[] {
  const isWaiting = facts.is !== "ready" || agent.isAsked || facts.at === "unapproved" || facts.at === "unreported";
  const { object, wanted } = agent;
  const isWithoutPod = step === "enable-agent" && whyWithoutPod(agent) !== undefined;
  const isBack = step === "enable-agent" && (facts.is !== "ready" || facts.at !== "seen" || isSettled(facts));
  const isThere = isBack || (step === "release-agent" && wanted !== "go" && !isBeingDeleted(object));
  const reason = isWaiting || isWithoutPod ? "Dependency" : isThere ? "Success" : "InProgress";
  const converged = convergedReport(reason, message);
  if (facts.is !== "ready" || isWaiting) return [converged];
  const isEnabled = facts.stays && (facts.at !== "seen" || facts.host.self.isEnabled);
  // What leaves is disabled last, or what it serves would stop; for people it is from the beginning.
  const said = facts.stays ? message : "The agent is to leave.";
  const enabled = isEnabled
    ? { type: conditions.enabled, status: "True", reason: "Enabled", message: "The agent is enabled." }
    : { type: conditions.enabled, status: "False", reason: "Disabled", message: said };
  const status = facts.stays ? "NotEvicting" : step === "release-agent" ? "Evicted" : "Evicting";
  const plan = facts.at === "seen" && !facts.stays ? facts.plan : undefined;
  return [converged, enabled, evictedReport(status, plan, stuck)];
}

const beginning = (object: KubernetesObject) => `${evicting(object)}. `;

type AgentState = Pick<AgentHost, "service" | "self"> & Pick<NetworkAgent, "isEnabled" | "description">;

/** Sent only if the agent is as it was looked at, which is `self`. Throws Contended otherwise, for another look. */
const setEnabled = command(
  openstack,
  "enable or disable an agent of Neutron",
  ({ neutron }, { self, isEnabled, description }: AgentState) => neutron.enable(self.id, isEnabled, description),
  async ({ neutron }, { service, self }) => {
    const live = (await neutron.agents(service)).find(({ id }) => id === self.id);
    if (live?.isEnabled !== self.isEnabled || live.description !== self.description)
      throw new Contended(`The ${service.agentType} of ${self.host} has just changed: Holdfast left it alone.`);
  },
);

/** Its description says whether Holdfast has disabled it, and keeps the former one. */
export function enableAgent({ host: { service, self }, agent: { object } }: SeenAgent, isEnabled: boolean): Command {
  const ours = beginning(object);
  const former = self.description.startsWith(ours) ? self.description.slice(ours.length) : self.description;
  return setEnabled({ service, self, isEnabled, description: isEnabled ? former : `${ours}${former}`.slice(0, 255) });
}
