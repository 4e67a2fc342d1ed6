import type { SystemRequest, SystemResponse } from "../../shared/system/transport.ts";
import { json } from "../system-server/json.ts";
import type { Account } from "./api.ts";
import type { CloudOptions } from "./cloud.ts";

/** The sorts of agents, and what each serves, as Neutron's API names it. */
const sorts = {
  l3: { type: "L3 agent", path: "l3-routers", list: "routers", id: "router_id", agents: "l3-agents" },
  dhcp: { type: "DHCP agent", path: "dhcp-networks", list: "networks", id: "network_id", agents: "dhcp-agents" },
  bgp: {
    type: "BGP dynamic routing agent",
    path: "bgp-drinstances",
    list: "bgp_speakers",
    id: "bgp_speaker_id",
    agents: "bgp-dragents",
  },
} as const;
export type Sort = keyof typeof sorts;

interface NetworkAgent {
  readonly id: string;
  readonly host: string;
  readonly sort: Sort;
  isEnabled: boolean;
  description: string | null;
  isRunning: boolean;
  /** When it was started last, or stopped. Milliseconds since the epoch. */
  since: number;
}

interface Served {
  readonly id: string;
  readonly sort: Sort;
  readonly name: string;
  readonly isHa: boolean;
  /** Ids of agents; of an HA router the first one that lives is active. */
  agents: readonly string[];
}

/** What Neutron waits for an agent that does not answer, in all; when it moves the networks of a DHCP agent. */
const agentTimeout = 240_000;
const failover = 17_000;

/** Neutron's agents and what they serve, as a Neutron of release Zed has shown them. */
export function createNetwork({ clock, random, hosts, downAfter = 60_000 }: CloudOptions) {
  const agents = new Map<string, NetworkAgent>();
  for (const host of hosts)
    for (const sort of Object.keys(sorts) as Sort[]) {
      const state = { isEnabled: true, description: null, isRunning: true, since: clock.now() };
      const agent: NetworkAgent = { id: random.uuid(), host, sort, ...state };
      agents.set(agent.id, agent);
    }
  const all = new Map<string, Served>();
  const isAlive = ({ isRunning, since }: NetworkAgent) => isRunning || clock.now() - since < downAfter;
  const fits = (agent: NetworkAgent, sort: Sort) => agent.sort === sort && agent.isEnabled;
  const place = (one: Served) => {
    const found = [...agents.values()].find((agent) => fits(agent, one.sort) && isAlive(agent));
    if (one.agents.length === 0 && found) one.agents = [found.id];
  };
  const create = (sort: Sort, name: string, isHa = false): Served => {
    const one: Served = { id: random.uuid(), sort, name, isHa, agents: [] };
    all.set(one.id, one);
    return one;
  };

  const shown = (agent: NetworkAgent, one?: Served) => {
    const lives = one?.agents.filter((id) => isAlive(agents.get(id) as NetworkAgent)) ?? [];
    return {
      id: agent.id,
      agent_type: sorts[agent.sort].type,
      host: agent.host,
      alive: isAlive(agent),
      admin_state_up: agent.isEnabled,
      description: agent.description,
      configurations: agent.sort === "l3" ? { agent_mode: "legacy" } : {},
      ...(one?.isHa ? { ha_state: lives[0] === agent.id ? "active" : "standby" } : {}),
    };
  };

  async function add(agent: NetworkAgent | undefined, sort: Sort, one: Served | undefined): Promise<SystemResponse> {
    const type = sorts[sort].type.replace("agent", "Agent");
    const kind = sort === "l3" ? "L3" : "DHCP";
    if (!agent) return fault(404, "AgentNotFound", "Agent could not be found.");
    if (!fits(agent, sort))
      return fault(404, `Invalid${kind}Agent`, `Agent ${agent.id} is not a ${type} or has been disabled`);
    if (!one || one.sort !== sort) return fault(404, "RouterNotFound", "Router could not be found");
    const isHere = one.agents.includes(agent.id);
    if (sort === "l3" && !one.isHa && !isHere && one.agents.length > 0)
      return fault(409, "RouterHostedByL3Agent", `The router ${one.id} has been already hosted by another L3 Agent.`);
    if (sort !== "l3" && isHere)
      return fault(409, `NetworkHostedBy${kind}Agent`, `${one.id} has been already hosted by the ${type} ${agent.id}.`);
    if (!isHere) one.agents = [...one.agents, agent.id];
    // Neutron asks the agent, and waits for its answer.
    if (sort === "l3" && !agent.isRunning) await clock.sleep(agentTimeout);
    return json(null, 201);
  }

  function remove(agent: NetworkAgent, sort: Sort, one: Served | undefined): SystemResponse {
    if (sort !== "l3" && !one?.agents.includes(agent.id))
      return fault(409, "NetworkNotHostedByDhcpAgent", "The network is not hosted by the DHCP agent.");
    if (one) one.agents = one.agents.filter((id) => id !== agent.id);
    return { status: 204, headers: {}, body: "" };
  }

  return {
    all,
    create,

    /** The agent of a sort on a host. */
    agent: (host: string, sort: Sort) =>
      [...agents.values()].find((one) => one.host === host && one.sort === sort) as NetworkAgent,

    /** Stops or starts an agent. */
    run(host: string, sort: Sort, isRunning: boolean): void {
      const agent = this.agent(host, sort);
      if (agent.isRunning === isRunning) return;
      Object.assign(agent, { isRunning, since: clock.now() });
      if (isRunning || sort !== "dhcp") return;
      void clock.sleep(downAfter + failover).then(() => {
        for (const one of agent.isRunning ? [] : all.values()) {
          if (!one.agents.includes(agent.id)) continue;
          one.agents = one.agents.filter((id) => id !== agent.id);
          place(one);
        }
      });
    },

    /** Neutron's API as far as rules load on it and tests need it. */
    async answer({ isAdmin }: Account, { method, path, body = "{}" }: SystemRequest): Promise<SystemResponse> {
      const [route = "", text = ""] = path.split("?");
      const query = new URLSearchParams(text);
      const [, what = "", id = "", rest = "", of = ""] = route.split("/").map(decodeURIComponent);
      const given = JSON.parse(body) as { [key: string]: unknown };
      if (what === "agents" && !id) {
        const wanted = [...agents.values()].map((agent) => shown(agent));
        const fitting = wanted.filter((agent) =>
          [...query].every(([key, value]) => agent[key as "host" | "agent_type"] === value),
        );
        // A member of a project is shown none, and no refusal.
        return json({ agents: isAdmin ? fitting : [] });
      }
      if (what === "agents") {
        const agent = isAdmin ? agents.get(id) : undefined;
        const sort = (Object.keys(sorts) as Sort[]).find((one) => sorts[one].path === rest);
        if (method === "POST" && sort) return add(agent, sort, all.get(String(given[sorts[sort].id])));
        if (!agent) return fault(404, "AgentNotFound", `Agent ${id} could not be found.`);
        if (method === "PUT") {
          const { admin_state_up: isEnabled = agent.isEnabled, description = agent.description } = given.agent as {
            admin_state_up?: boolean;
            description?: string | null;
          };
          Object.assign(agent, { isEnabled, description });
          return json({ agent: shown(agent) });
        }
        if (method === "DELETE" && sort) return remove(agent, sort, all.get(of));
        if (!sort) return json({ agent: shown(agent) });
        const served = [...all.values()].filter((one) => one.agents.includes(id));
        return json({ [sorts[sort].list]: served.map(({ id, name, isHa }) => ({ id, name, ha: isHa })) });
      }
      const sort = (Object.keys(sorts) as Sort[]).find((one) => sorts[one].list.replace("_", "-") === what);
      if (!sort) return fault(404, "HTTPNotFound", "The resource could not be found.");
      const name = sorts[sort].list.slice(0, -1);
      if (method === "POST") return json({ [name]: create(sort, (given[name] as { name: string }).name) }, 201);
      const one = all.get(id);
      if (!one) return fault(404, "NotFound", `${name} ${id} could not be found`);
      if (rest === sorts[sort].agents)
        return json({ agents: one.agents.map((agent) => shown(agents.get(agent) as NetworkAgent, one)) });
      if (method === "DELETE") {
        all.delete(id);
        return { status: 204, headers: {}, body: "" };
      }
      // Any update of a router that no agent has places it, on the one that it was taken from as well.
      if (method === "PUT" && sort === "l3") place(one);
      return json({ [name]: { id, name: one.name } });
    },
  };
}

const fault = (status: number, type: string, message: string) =>
  json({ NeutronError: { type, message, detail: "" } }, status);
