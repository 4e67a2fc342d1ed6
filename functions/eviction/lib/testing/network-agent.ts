import type { Looked } from "../../../../shared/chain/facts.ts";
import { type AgentHost, planAgent, readMoving } from "../agent-plan.ts";
import { NeutronL3Agent } from "../kinds.ts";
import { agentFinalizer, movingKey } from "../names.ts";
import { l3, type NetworkAgent } from "../openstack/neutron.ts";
import { common } from "../settings.ts";
import { aCompute, aNode, aPod, now } from "./seen.ts";

interface AgentOptions {
  readonly self?: Partial<NetworkAgent>;
  readonly host?: Partial<AgentHost>;
  readonly record?: object;
  readonly stays?: boolean;
  readonly pods?: readonly ReturnType<typeof aPod>[];
  readonly node?: ReturnType<typeof aNode>;
}

/** An L3 agent that is to leave, or stays, on a locked Node, with what Neutron has of it. */
export function anL3Agent(options: AgentOptions = {}) {
  const { self: state, host: more, record, stays = false, pods = [aPod()], node } = options;
  const { apiVersion, kind } = NeutronL3Agent;
  const annotations: Record<string, string> = record
    ? { [movingKey]: JSON.stringify({ v: 1, uid: "u1", moved: 0, moving: {}, ...record }) }
    : {};
  const metadata = { finalizers: [agentFinalizer], annotations };
  const { object: compute, ...seen } = aCompute({ metadata, node: node ?? aNode("True", kind), pods });
  const object = { ...compute, apiVersion, kind };
  const wanted = stays ? ("stay" as const) : ("go" as const);
  const agent = { ...seen, object, wanted, moving: readMoving(object), isResync: false, isAsked: false };
  const self: NetworkAgent = {
    ...{ id: "a", host: "node-a", isAlive: true, isEnabled: true, description: "", isCentral: true },
    haState: undefined,
    ...state,
  };
  const rest = { served: [], agentsOf: {}, leaving: [], targets: [] };
  const host: AgentHost = { object, service: l3, self, at: now, ...rest, ...more };
  const plan = planAgent(host, agent.moving ?? { moving: {}, moved: 0 }, !stays, common.parse({}));
  const facts = { is: "ready", at: "seen", agent, stays, host, plan } as const;
  return { ...agent, facts } satisfies Looked<typeof agent, typeof facts>;
}
