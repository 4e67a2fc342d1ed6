import { expect } from "vitest";
import { seededRandom } from "../../../eventing/random.ts";
import {
  agents,
  NeutronDHCPAgent,
  NeutronL2Agent,
  NeutronL3Agent,
  NeutronOVNAgent,
  NovaComputeNode,
} from "../../../functions/eviction/lib/kinds.ts";
import { abandonKey, approvalKey, movingKey, retryKey } from "../../../functions/eviction/lib/names.ts";
import { bgp, dhcp, l3 } from "../../../functions/eviction/lib/openstack/neutron.ts";
import { createNetwork } from "../../../local/openstack/network.ts";
import { type Kind, Node } from "../../../shared/kubernetes/kind.ts";
import type { Cluster } from "../../harness/cluster.ts";
import { manifest } from "../../harness/manifest.ts";
import type { Scenario } from "../scenario.ts";
import {
  agentOn,
  agentPod,
  annotate,
  approve,
  boot,
  conditionOf,
  create,
  createAgent,
  delaysFirst,
  evict,
  hostsOf,
  isEvicted,
  isGone,
  l2PodIsNew,
  labelOf,
  locksOf,
  namespace,
  node,
  nothingHappens,
  operate,
  other,
  podOf,
  remove,
  says,
  serve,
  serves,
  setState,
  swept,
  updateL2Agent,
  watchOrder,
  whereabouts,
} from "./helpers.ts";
import { besideOf, hosts, standInOpenStack } from "./settings.ts";

const base = { template: { spec: { containers: [{ name: "agent", image: "agent" }] } } };
const isEnabled = async (cluster: Cluster) =>
  (await conditionOf(cluster, "enabled", NeutronL3Agent)).startsWith("True");
const setAgent = async (cluster: Cluster, sort: "l3" | "dhcp", host: string, isRunning: boolean) => {
  const { cloud } = besideOf(cluster);
  await cloud.under.agents?.(host, sort, isRunning);
  await cloud.until(
    `the agent of ${host} is ${isRunning ? "alive" : "dead"}`,
    async () => (await agentOn(cluster, sort === "l3" ? l3 : dhcp, host)).isAlive === isRunning,
    120,
  );
};

/** Neutron is asked to take a router or network from an agent, and refuses. */
const isTaking = ({ method, path }: { readonly method: string; readonly path: string }) =>
  method === "DELETE" && /\/(l3-routers|dhcp-networks)\//.test(path);
const refusal = {
  status: 409,
  headers: {},
  body: '{"NeutronError":{"type":"Distributed","message":"No.","detail":""}}',
};

/** Neutron refuses that from now on. Returns how often it has been asked. */
function refuseTaking(cluster: Cluster): () => number {
  let asked = 0;
  besideOf(cluster).wire.step = async (request, send) => {
    if (!isTaking(request)) return send();
    asked += 1;
    return refusal;
  };
  return () => asked;
}

type How = "by its state" | "with its agreement";
const callOff = (cluster: Cluster, how: How, kind: Kind = NeutronL3Agent) =>
  how === "by its state" ? setState(cluster, "Enabled", kind) : annotate(cluster, { [approvalKey]: null }, kind);
/** Nothing of the eviction is left, and the agent serves, or waits for the next agreement. */
const isBack = async (cluster: Cluster, how: How, kind: Kind = NeutronL3Agent) => {
  await says(cluster, how === "by its state" ? /^True/ : "when you agree", kind);
  const { annotations } = (await cluster.admin.get(kind, namespace, node))?.metadata ?? {};
  expect(annotations).not.toHaveProperty([movingKey]);
};

/** What the document says of Neutron's agents, and what goes wrong on the way. */
export const agentScenarios: readonly Scenario[] = [
  {
    title: "an L3 and a DHCP agent are deleted: others get their routers and networks, then pods and locks go",
    async run(cluster) {
      const problems: string[] = [];
      watchOrder(cluster, problems);
      await createAgent(cluster, NeutronL3Agent);
      await createAgent(cluster, NeutronDHCPAgent);
      expect(await locksOf(cluster)).toEqual(["NeutronDHCPAgent", "NeutronL3Agent", "NovaComputeNode"]);
      const routers = [await serve(cluster, l3), await serve(cluster, l3), await serve(cluster, l3)];
      const network = await serve(cluster, dhcp);
      for (const kind of [NeutronL3Agent, NeutronDHCPAgent]) await remove(cluster, kind);
      await says(
        cluster,
        `kubectl annotate neutronl3agent -n ${namespace} ${node} ${approvalKey}=true`,
        NeutronL3Agent,
      );
      await nothingHappens(cluster);
      expect(await hostsOf(cluster, l3, routers[0] ?? "")).toEqual([node]);
      for (const kind of [NeutronL3Agent, NeutronDHCPAgent]) await approve(cluster, kind);
      for (const kind of [NeutronL3Agent, NeutronDHCPAgent]) await isGone(cluster, kind);
      for (const router of routers) expect(await hostsOf(cluster, l3, router)).toEqual([other]);
      expect(await hostsOf(cluster, dhcp, network)).toEqual([other]);
      for (const service of [l3, dhcp])
        expect(await agentOn(cluster, service)).toMatchObject({
          isEnabled: false,
          description: expect.stringMatching(/^Holdfast evicts Neutron/),
        });
      expect(await locksOf(cluster)).toEqual(["NovaComputeNode"]);
      expect([
        await podOf(cluster, agentPod(NeutronL3Agent)),
        await podOf(cluster, agentPod(NeutronDHCPAgent)),
      ]).toEqual([undefined, undefined]);
      expect(problems).toEqual([]);
    },
  },
  {
    title: "an L2 agent is updated under three dependents: all leave first, and all are back and enabled after it",
    async run(cluster) {
      const problems: string[] = [];
      watchOrder(cluster, problems);
      const three = [NeutronL3Agent, NeutronDHCPAgent];
      for (const kind of three) await createAgent(cluster, kind);
      const ids = await boot(cluster, 1);
      const router = await serve(cluster, l3);
      const before = (await podOf(cluster, agentPod(NeutronL2Agent)))?.metadata.uid;
      await updateL2Agent(cluster);
      await swept(cluster, "the Node asks others to leave", async () => (await labelOf(cluster)) === "True");
      await approve(cluster);
      await approve(cluster, NeutronL3Agent);
      await swept(cluster, "one lock is left", async () => (await locksOf(cluster)).join() === "NeutronDHCPAgent");
      await nothingHappens(cluster);
      expect((await podOf(cluster, agentPod(NeutronL2Agent)))?.metadata.uid).toBe(before);
      await approve(cluster, NeutronDHCPAgent);
      await l2PodIsNew(cluster, before);
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`]);
      expect(await hostsOf(cluster, l3, router)).toEqual([other]);
      for (const kind of three) await serves(cluster, kind);
      for (const service of [l3, dhcp])
        expect(await agentOn(cluster, service)).toMatchObject({ isEnabled: true, description: "" });
      await swept(cluster, "all locks are back", async () => (await locksOf(cluster)).length === 3);
      expect(problems).toEqual([]);
    },
  },
  {
    title: "a dead L3 agent leaves like one that lives, and without another one its routers stay and it says so",
    async run(cluster) {
      await createAgent(cluster, NeutronL3Agent);
      const router = await serve(cluster, l3);
      await setAgent(cluster, "l3", node, false);
      await setAgent(cluster, "l3", other, false);
      await evict(cluster, NeutronL3Agent);
      await says(cluster, "No other L3 agent that is alive and enabled", NeutronL3Agent);
      await nothingHappens(cluster);
      expect(await hostsOf(cluster, l3, router)).toEqual([node]);
      expect(await podOf(cluster, agentPod(NeutronL3Agent))).toBeDefined();
      await setAgent(cluster, "l3", other, true);
      await isGone(cluster, NeutronL3Agent);
      expect(await hostsOf(cluster, l3, router)).toEqual([other]);
    },
  },
  {
    title: "a router that Neutron has on no agent, because the answer was lost, comes to the one that was written down",
    async run(cluster) {
      const { standIn } = besideOf(cluster);
      await createAgent(cluster, NeutronL3Agent);
      const router = await serve(cluster, l3);
      const answer = standIn?.network.answer;
      let lost = 0;
      const network = standIn?.network as NonNullable<typeof standIn>["network"];
      network.answer = async (account, request) => {
        const isAdd = request.method === "POST" && request.path.endsWith("/l3-routers");
        if (isAdd && lost++ === 0) throw new Error("connect ECONNRESET");
        return answer?.call(network, account, request) as ReturnType<typeof network.answer>;
      };
      await evict(cluster, NeutronL3Agent);
      await isGone(cluster, NeutronL3Agent);
      expect([lost > 1, await hostsOf(cluster, l3, router)]).toEqual([true, [other]]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "an agent whose eviction is called off keeps what it serves, and is enabled again",
    async run(cluster) {
      await createAgent(cluster, NeutronL3Agent);
      const router = await serve(cluster, l3);
      await setState(cluster, "DisabledAndCleared", NeutronL3Agent);
      await approve(cluster, NeutronL3Agent);
      await isEvicted(cluster, NeutronL3Agent);
      expect(await hostsOf(cluster, l3, router)).toEqual([other]);
      expect([await agentOn(cluster, l3), await podOf(cluster, agentPod(NeutronL3Agent))]).toMatchObject([
        { isEnabled: false },
        { kind: "Pod" },
      ]);
      await setState(cluster, "Enabled", NeutronL3Agent);
      await serves(cluster, NeutronL3Agent);
      expect(await agentOn(cluster, l3)).toMatchObject({ isEnabled: true, description: "" });
      const agent = await cluster.admin.get(NeutronL3Agent, namespace, node);
      expect(agent?.metadata.annotations?.[approvalKey]).toBeUndefined();
    },
  },
  ...(["by its state", "with its agreement"] as const).map(
    (how): Scenario => ({
      title: `a router that no agent gives away stays where it is when the eviction is called off ${how}`,
      async run(cluster) {
        const { cloud } = besideOf(cluster);
        await createAgent(cluster, NeutronL3Agent);
        const router = await serve(cluster, l3);
        const asked = refuseTaking(cluster);
        await setState(cluster, "DisabledAndCleared", NeutronL3Agent);
        await approve(cluster, NeutronL3Agent);
        await swept(cluster, "Neutron has refused", async () => asked() > 0);
        await callOff(cluster, how);
        await says(cluster, "The eviction was called off during the move of 1 router.", NeutronL3Agent);
        const before = asked();
        for (const seconds of [310, 310]) await cloud.pass(seconds);
        await isBack(cluster, how);
        expect([asked(), await hostsOf(cluster, l3, router)]).toEqual([before, [node]]);
      },
      settings: [standInOpenStack],
    }),
  ),
  ...["when", "when its own is disabled, and"].map(
    (when): Scenario => ({
      title: `a router that no agent has ${when} the eviction is called off comes back, also after a late request`,
      async run(cluster) {
        const { cloud, standIn, wire } = besideOf(cluster);
        const isDisabled = when !== "when";
        await createAgent(cluster, NeutronL3Agent);
        const router = await serve(cluster, l3);
        const self = await agentOn(cluster, l3);
        if (isDisabled) await cloud.neutron().remove(l3, self.id, router);
        let isLost = false;
        wire.step = async (request, send) => {
          if (request.method !== "POST" || !request.path.endsWith("/l3-routers")) return send();
          isLost = true;
          throw new Error("socket hang up");
        };
        await setState(cluster, "DisabledAndCleared", NeutronL3Agent);
        await approve(cluster, NeutronL3Agent);
        if (isDisabled) {
          await swept(cluster, "it is disabled", async () => !(await agentOn(cluster, l3)).isEnabled);
          // Neutron has placed it there right before.
          Object.assign(standIn?.network.all.get(router) ?? {}, { agents: [self.id] });
        }
        await swept(cluster, "the answer is lost", async () => isLost);
        await setAgent(cluster, "l3", other, false);
        expect(await hostsOf(cluster, l3, router)).toEqual([]);
        wire.step = (_, send) => send();
        await callOff(cluster, "by its state");
        const comesBack = () =>
          swept(cluster, "it is back", async () => (await hostsOf(cluster, l3, router))?.join() === node);
        await comesBack();
        await cloud.pass(300);
        // The first request arrives so late.
        await cloud.neutron().remove(l3, self.id, router);
        await comesBack();
        // Another one arrives while Neutron is away, which is seen only when it is too late for any.
        standIn?.stop();
        await cloud.pass(300);
        Object.assign(standIn?.network.all.get(router) ?? {}, { agents: [] });
        await cloud.pass(310);
        await nothingHappens(cluster);
        standIn?.start();
        await comesBack();
        for (const seconds of [310, 310]) await cloud.pass(seconds);
        await isBack(cluster, "by its state");
        expect(await hostsOf(cluster, l3, router)).toEqual([node]);
      },
      settings: [standInOpenStack],
    }),
  ),
  {
    title: "a network that two agents have when the eviction is called off stays on both",
    async run(cluster) {
      const { cloud } = besideOf(cluster);
      await createAgent(cluster, NeutronDHCPAgent);
      const network = await serve(cluster, dhcp);
      refuseTaking(cluster);
      await setState(cluster, "DisabledAndCleared", NeutronDHCPAgent);
      await approve(cluster, NeutronDHCPAgent);
      await swept(cluster, "it is on both", async () => (await hostsOf(cluster, dhcp, network))?.length === 2);
      await callOff(cluster, "by its state", NeutronDHCPAgent);
      for (const seconds of [310, 310]) await cloud.pass(seconds);
      await isBack(cluster, "by its state", NeutronDHCPAgent);
      expect(await hostsOf(cluster, dhcp, network)).toEqual([node, other]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "an agent that a late call disables after its agreement was removed is enabled again ten minutes later",
    async run(cluster) {
      const { cloud } = besideOf(cluster);
      await createAgent(cluster, NeutronL3Agent);
      const isLate = delaysFirst(cluster, '"admin_state_up":false');
      await setState(cluster, "DisabledAndCleared", NeutronL3Agent);
      await approve(cluster, NeutronL3Agent);
      await swept(cluster, "the call is given up", isLate);
      await annotate(cluster, { [approvalKey]: null }, NeutronL3Agent);
      await says(cluster, "when you agree", NeutronL3Agent);
      await cloud.pass(500);
      expect((await agentOn(cluster, l3)).isEnabled).toBe(false);
      await nothingHappens(cluster);
      await says(cluster, "when you agree", NeutronL3Agent);
      await cloud.pass(110);
      await swept(cluster, "it is enabled again", async () => (await agentOn(cluster, l3)).isEnabled);
      for (const seconds of [310, 310]) await cloud.pass(seconds);
      await nothingHappens(cluster);
      await says(cluster, "when you agree", NeutronL3Agent);
      const { annotations } = (await cluster.admin.get(NeutronL3Agent, namespace, node))?.metadata ?? {};
      expect(annotations).not.toHaveProperty(["holdfast.dev/eviction.enable-agent"]);
    },
    settings: [standInOpenStack],
  },
  ...["the Secret is corrected", "the agent is a new one"].map(
    (ending): Scenario => ({
      title: `an eviction that finds another agent of its host in Neutron asks for nothing, until ${ending}`,
      async run(cluster) {
        const { clock } = cluster;
        const { wire } = besideOf(cluster);
        await createAgent(cluster, NeutronL3Agent);
        const router = await serve(cluster, l3);
        const elsewhere = createNetwork({ clock, random: seededRandom(12), hosts });
        const [agent, target] = [node, other].map((host) => elsewhere.agent(host, "l3"));
        const there = Object.assign(elsewhere.create("l3", "there"), { agents: [agent?.id] });
        const asked = refuseTaking(cluster);
        await setState(cluster, "DisabledAndCleared", NeutronL3Agent);
        await approve(cluster, NeutronL3Agent);
        await swept(cluster, "it has begun", async () => asked() > 0);
        const changes: string[] = [];
        wire.step = async (request, send) => {
          if (!/^\/(agents|routers)/.test(request.path)) return send();
          if (request.method !== "GET") changes.push(`${request.method} ${request.path}`);
          return elsewhere.answer({ project: "admin", isAdmin: true }, request);
        };
        const said = await says(cluster, `but Neutron now has ${agent?.id} on ${node}`, NeutronL3Agent);
        expect(said).toContain((await agentOn(cluster, l3)).id);
        expect(said).toContain(`, also ${router}. Then run`);
        await nothingHappens(cluster);
        await setState(cluster, "Enabled", NeutronL3Agent);
        await nothingHappens(cluster);
        expect([changes, there.agents, await hostsOf(cluster, l3, router)]).toEqual([[], [agent?.id], [node]]);
        await setState(cluster, "DisabledAndCleared", NeutronL3Agent);
        if (ending === "the Secret is corrected") wire.step = (_, send) => send();
        else await annotate(cluster, { [movingKey]: null }, NeutronL3Agent);
        await isEvicted(cluster, NeutronL3Agent);
        if (ending === "the Secret is corrected") expect(await hostsOf(cluster, l3, router)).toEqual([other]);
        else expect([there.agents, agent?.isEnabled]).toEqual([[target?.id], false]);
      },
      settings: [standInOpenStack],
    }),
  ),
  {
    title: "an HA router stays on the agent until another one stands by, and is active there before the agent goes",
    async run(cluster) {
      const { standIn } = besideOf(cluster);
      await createAgent(cluster, NeutronL3Agent);
      const router = standIn?.network.create("l3", "ha", true).id ?? "";
      const { cloud } = besideOf(cluster);
      await cloud.neutron().add(l3, (await agentOn(cluster, l3)).id, router);
      await evict(cluster, NeutronL3Agent);
      await swept(cluster, "it is on both", async () => (await hostsOf(cluster, l3, router))?.length === 2);
      await isGone(cluster, NeutronL3Agent);
      expect(await cloud.neutron().agentsOf(l3, router)).toMatchObject([{ host: other, haState: "active" }]);
    },
    settings: [standInOpenStack],
  },
  ...([NeutronDHCPAgent, NeutronL3Agent] as const).map(
    (kind): Scenario => ({
      title: `what two ${kind.kind}s serve that leave at the same time stays while no other one can take it`,
      async run(cluster) {
        const { cloud, standIn, wire } = besideOf(cluster);
        const isHa = kind === NeutronL3Agent;
        const service = isHa ? l3 : dhcp;
        await createAgent(cluster, kind);
        await create(cluster, base, kind, other);
        const id = standIn?.network.create(isHa ? "l3" : "dhcp", "shared", isHa).id ?? "";
        for (const host of hosts) await cloud.neutron().add(service, (await agentOn(cluster, service, host)).id, id);
        // What one eviction asks for is still on its way when the other one looks.
        wire.step = async (request, send) => {
          if (isTaking(request)) await cluster.clock.sleep(2000);
          return send();
        };
        const leaves = {
          metadata: { annotations: { [approvalKey]: "true" } },
          spec: { state: "DisabledAndCleared" },
        };
        await Promise.all(hosts.map((host) => cluster.admin.patch(kind, namespace, host, "merge", leaves)));
        await says(cluster, `No other ${service.agentType} that is alive and enabled could take over.`, kind);
        await cloud.pass(60);
        await nothingHappens(cluster);
        expect(await hostsOf(cluster, service, id)).toEqual([...hosts].toSorted());
      },
      settings: [standInOpenStack],
    }),
  ),
  {
    title: "agents of every kind leave with the L2 agent, and come back",
    async run(cluster) {
      for (const kind of agents) await createAgent(cluster, kind);
      const { standIn, cloud } = besideOf(cluster);
      const speaker = standIn?.network.create("bgp", "speaker").id ?? "";
      await cloud.neutron().add(bgp, (await agentOn(cluster, bgp)).id, speaker);
      await updateL2Agent(cluster);
      await approve(cluster);
      for (const kind of agents) await approve(cluster, kind);
      // By mistake: it is for an agent that Neutron does not know, and so changes nothing.
      const givenUp = { metadata: { annotations: { [abandonKey]: "another-node" } } };
      for (const kind of agents) await cluster.admin.patch(kind, namespace, node, "merge", givenUp);
      await swept(cluster, "no lock is left", async () => (await locksOf(cluster)).length === 0);
      expect(await hostsOf(cluster, bgp, speaker)).toEqual([other]);
      for (const kind of agents) {
        await serves(cluster, kind);
        const agent = await cluster.admin.get(kind, namespace, node);
        expect(agent?.metadata.annotations).not.toHaveProperty([abandonKey]);
      }
      for (const kind of agents) {
        await remove(cluster, kind);
        await says(cluster, `${approvalKey}=true`, kind);
        await approve(cluster, kind);
        await isGone(cluster, kind);
      }
    },
    settings: [standInOpenStack],
  },
  {
    title: "a router that no agent takes is asked for three times, shown, and again when a person asks",
    async run(cluster) {
      const { wire } = besideOf(cluster);
      await createAgent(cluster, NeutronL3Agent);
      const router = await serve(cluster, l3);
      const asked = refuseTaking(cluster);
      await evict(cluster, NeutronL3Agent);
      await says(cluster, `Neutron has not moved the router ${router}, though Holdfast has asked 3`, NeutronL3Agent);
      expect(asked()).toBe(3);
      expect(await hostsOf(cluster, l3, router)).toEqual([node]);
      wire.step = (_, send) => send();
      await annotate(cluster, { [retryKey]: "true" }, NeutronL3Agent);
      await isGone(cluster, NeutronL3Agent);
      expect(await hostsOf(cluster, l3, router)).toEqual([other]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "pods of an agent that another operator keeps go when others have its routers",
    async run(cluster) {
      const label = { key: "network.yaook.cloud/neutron-l3-agent", value: "true" };
      const selector = { matchLabels: { app: "l3" }, schedulingLabel: label };
      await create(cluster, { selector }, NeutronL3Agent);
      const operated = async <T>(check: Promise<T>) => {
        await operate(cluster, label.key, "l3");
        return check;
      };
      await swept(cluster, "it serves", () => operated(isEnabled(cluster)));
      const router = await serve(cluster, l3);
      await evict(cluster, NeutronL3Agent);
      await swept(cluster, "it is gone", () =>
        operated(cluster.admin.get(NeutronL3Agent, namespace, node).then((agent) => !agent)),
      );
      expect([await hostsOf(cluster, l3, router), await podOf(cluster, "l3-x")]).toEqual([[other], undefined]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "an OVN agent in the place of an L2 agent labels the Node, and is replaced when no lock is there",
    async run(cluster) {
      await evict(cluster, NeutronL2Agent);
      await approve(cluster);
      await isGone(cluster, NeutronL2Agent);
      expect([await labelOf(cluster), await locksOf(cluster)]).toEqual(["True", []]);
      await cluster.admin.create(NeutronOVNAgent, manifest(NeutronOVNAgent, { name: node, namespace }, { spec: base }));
      await serves(cluster, NovaComputeNode);
      const before = (await podOf(cluster, agentPod(NeutronOVNAgent)))?.metadata.uid;
      await updateL2Agent(cluster, undefined, NeutronOVNAgent);
      await says(cluster, `Locks are still on Node ${node}: NovaComputeNode. The OVN agent goes`, NeutronOVNAgent);
      await approve(cluster);
      await swept(cluster, "its pod is a new one", async () => {
        const pod = await podOf(cluster, agentPod(NeutronOVNAgent));
        return pod && pod.metadata.uid !== before;
      });
      await serves(cluster, NovaComputeNode);
      expect(await labelOf(cluster)).toBe("False");
    },
    settings: [standInOpenStack],
  },
  {
    title:
      "an L2 or OVN agent whose Node is gone says so, has its pod again with the Node, and goes when it is deleted",
    async run(cluster) {
      const { admin } = cluster;
      for (const kind of [NeutronL2Agent, NeutronOVNAgent]) {
        const pod = () => podOf(cluster, `${kind.kind.toLowerCase()}-${other}`);
        // What needs the agent has locked the Node, and no person agrees to anything.
        const annotations = { "l2-lock.maintenance.yaook.cloud/octavia-manager": "" };
        const comes = () => admin.create(Node, manifest(Node, { name: other, annotations }));
        await comes();
        await admin.create(kind, manifest(kind, { name: other, namespace }, { spec: base }));
        await swept(cluster, "its pod is there", pod);
        await admin.delete(Node, undefined, other);
        await swept(cluster, "it says so", async () => {
          const agent = await admin.get(kind, namespace, other);
          return JSON.stringify(agent?.status ?? "").includes(`Node ${other} does not exist.`) && !(await pod());
        });
        await nothingHappens(cluster);
        expect(await pod()).toBeUndefined();
        await comes();
        await swept(cluster, "its pod is there again", pod);
        await admin.delete(Node, undefined, other);
        await admin.delete(kind, namespace, other);
        await swept(cluster, "it is gone", async () => !(await admin.get(kind, namespace, other)) && !(await pod()));
      }
    },
    settings: [standInOpenStack],
  },
  {
    title:
      "an agent that is created to be cleared, on a Node that admits none, says that a person must agree, and rests",
    async run(cluster) {
      const { admin } = cluster;
      await admin.create(Node, manifest(Node, { name: other }));
      await create(cluster, { ...base, state: "DisabledAndCleared" }, NeutronL3Agent, other);
      const said = await swept(cluster, "it says so", async () => {
        const agent = await admin.get(NeutronL3Agent, namespace, other);
        return JSON.stringify(agent?.status ?? "").includes("when you agree") && agent;
      });
      await nothingHappens(cluster);
      expect((await admin.get(NeutronL3Agent, namespace, other))?.metadata.resourceVersion).toBe(
        said.metadata.resourceVersion,
      );
    },
    settings: [standInOpenStack],
  },
  {
    title: "an L2 and an OVN agent on one Node are both left and shown, and deleting the new one ends it",
    async run(cluster) {
      const before = (await podOf(cluster, agentPod(NeutronL2Agent)))?.metadata.uid;
      await cluster.admin.create(NeutronOVNAgent, manifest(NeutronOVNAgent, { name: node, namespace }, { spec: base }));
      for (const each of [NeutronL2Agent, NeutronOVNAgent])
        await says(cluster, "Holdfast changes neither of them", each);
      await remove(cluster, NeutronOVNAgent);
      await isGone(cluster, NeutronOVNAgent);
      await says(cluster, /^True/, NeutronL2Agent);
      expect([await labelOf(cluster), (await podOf(cluster, agentPod(NeutronL2Agent)))?.metadata.uid]).toEqual([
        "False",
        before,
      ]);
    },
    settings: [standInOpenStack],
  },
];
