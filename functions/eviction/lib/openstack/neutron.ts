import { z } from "zod";
import type { SystemRequest } from "../../../../shared/system/transport.ts";
import { allPages, bodyOf, unlessRefused } from "./answer.ts";
import type { Send } from "./session.ts";

/** What agents of one sort serve, and how Neutron names it. */
export interface Service {
  /** The `agent_type` of Neutron. */
  readonly agentType: string;
  /** One of what they serve, for people. */
  readonly noun: string;
  /** Where what an agent serves is, below the agent. */
  readonly path: string;
  /** All of them as a list's key; the key of an id, and the path of all, derive from it. */
  readonly list: string;
  /** Where the agents of one are listed, below one. */
  readonly agents: string;
  /** Of each there may be several agents, so that another one is added before this one is removed. */
  readonly isShared: boolean;
}

export const l3: Service = {
  ...{ agentType: "L3 agent", noun: "router", path: "l3-routers", list: "routers", agents: "l3-agents" },
  isShared: false,
};
export const dhcp: Service = {
  ...{ agentType: "DHCP agent", noun: "network", path: "dhcp-networks", list: "networks", agents: "dhcp-agents" },
  isShared: true,
};
export const bgp: Service = {
  ...{ agentType: "BGP dynamic routing agent", noun: "BGP speaker" },
  ...{ path: "bgp-drinstances", list: "bgp_speakers", agents: "bgp-dragents" },
  isShared: true,
};

const agentShape = z
  .object({
    id: z.string(),
    host: z.string(),
    alive: z.boolean(),
    admin_state_up: z.boolean(),
    description: z.string().nullish(),
    ha_state: z.string().nullish(),
    configurations: z.looseObject({ agent_mode: z.string().nullish() }).nullish(),
  })
  .transform(({ id, host, alive, admin_state_up, description, ha_state, configurations }) => ({
    ...{ id, host, isAlive: alive, isEnabled: admin_state_up, description: description ?? "" },
    ...{ isCentral: configurations?.agent_mode !== "dvr", haState: ha_state ?? undefined },
  }));
/**
 * An agent as Neutron has it. `isAlive`: it has reported lately. `isCentral`: it serves routers that are not
 * distributed, or is no L3 agent. `haState`: of an HA router alone, `active`, `standby` or `unknown` on this agent.
 */
export type NetworkAgent = Readonly<z.output<typeof agentShape>>;
const agentsAnswer = z.object({ agents: z.array(agentShape) });
const link = z.looseObject({ rel: z.string().optional() });
const agentsPage = agentsAnswer
  .extend({ agents_links: z.array(link).default([]) })
  .transform(({ agents: found, agents_links }) => ({ found, more: agents_links.find(({ rel }) => rel === "next") }));
const served = z
  .object({ id: z.string(), ha: z.boolean().nullish() })
  .transform(({ id, ha }) => ({ id, isHa: ha ?? false }));
/** A router, network or BGP speaker that an agent serves; `isHa`: a router that stands by on other agents. */
export type Served = Readonly<z.output<typeof served>>;

export type Neutron = ReturnType<typeof neutronClient>;

/**
 * What is asked of Neutron. A member of a project sees no agents at all: that there are none proves nothing. All throw
 * SystemError, and its OpenStackRefusal where Neutron has understood and refuses.
 */
export function neutronClient(send: Send) {
  const ask = (method: SystemRequest["method"], path: string, body?: object) =>
    send("network", rooted, { method, path, ...(body ? { body } : {}) });
  const get = async <T>(path: string, shape: z.ZodType<T>) =>
    bodyOf(await ask("GET", path), `GET ${path.split("?")[0]}`, shape);
  const unlessDone = async (asked: Promise<unknown>) => void (await unlessRefused(asked, 404, 409));

  return {
    /** The agents of one sort, on all hosts. A cloud may limit how many Neutron answers at once. */
    agents: ({ agentType }: Service): Promise<readonly NetworkAgent[]> =>
      allPages(get, "/agents", { agent_type: agentType }, agentsPage, ({ id }) => id),
    served: async ({ path, list }: Service, agent: string): Promise<readonly Served[]> => {
      const answer = await get(`/agents/${idOf(agent)}/${path}`, z.object({ [list]: z.array(served) }));
      return answer[list] ?? [];
    },
    /** The agents that serve one; `undefined` when Neutron says that there is no such one. */
    agentsOf: async ({ list, agents }: Service, id: string): Promise<readonly NetworkAgent[] | undefined> =>
      (await unlessRefused(get(`/${list.replace("_", "-")}/${idOf(id)}/${agents}`, agentsAnswer), 404))?.agents,
    /** Has an agent serve one. That it does already, or that either is gone, is no failure: the next look sees it. */
    add: ({ path, list }: Service, agent: string, id: string) =>
      unlessDone(ask("POST", `/agents/${idOf(agent)}/${path}`, { [`${list.slice(0, -1)}_id`]: id })),
    /** Has an agent no longer serve one; that it does not is no failure. */
    remove: ({ path }: Service, agent: string, id: string) =>
      unlessDone(ask("DELETE", `/agents/${idOf(agent)}/${path}/${idOf(id)}`)),
    /** What a disabled agent serves stops, unless Neutron is set otherwise. The description is for a reason. */
    enable: async (agent: string, isEnabled: boolean, description: string) =>
      void (await ask("PUT", `/agents/${idOf(agent)}`, { agent: { admin_state_up: isEnabled, description } })),
  };
}

const idOf = encodeURIComponent;

/** The root of version 2.0: catalogs name Neutron's own root, or it. */
const rooted = (url: string) => (/\/v2\.0\/?$/.test(url) ? url.replace(/\/$/, "") : `${url.replace(/\/+$/, "")}/v2.0`);
