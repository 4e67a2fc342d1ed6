import { expect } from "vitest";
import {
  agents,
  NeutronDHCPAgent,
  NeutronL2Agent,
  NeutronL3Agent,
  NeutronOVNAgent,
  NovaComputeNode,
} from "../../../functions/eviction/lib/kinds.ts";
import { abandonKey, approvalKey, retryKey } from "../../../functions/eviction/lib/names.ts";
import { bgp, dhcp, l3 } from "../../../functions/eviction/lib/openstack/neutron.ts";
import { manifest } from "../../worlds/manifest.ts";
import type { World } from "../../worlds/world.ts";
import type { Scenario } from "../scenario.ts";
import {
  agentOn,
  agentPod,
  annotateAgent,
  approve,
  approveAgent,
  boot,
  conditionOf,
  create,
  createAgent,
  hostsOf,
  isAgentGone,
  labelOf,
  locksOf,
  namespace,
  node,
  nothingHappens,
  operate,
  other,
  podOf,
  removeAgent,
  serve,
  serves,
  swept,
  updateL2Agent,
  watchOrder,
  whereabouts,
} from "./helpers.ts";
import { besideOf, standInOpenStack } from "./settings.ts";

const base = { template: { spec: { containers: [{ name: "agent", image: "agent" }] } } };
const isEnabled = async (world: World) => (await conditionOf(world, "enabled", NeutronL3Agent)).startsWith("True");
const setAgent = async (world: World, sort: "l3" | "dhcp", host: string, isRunning: boolean) => {
  const { cloud } = besideOf(world);
  await cloud.under.agents?.(host, sort, isRunning);
  await cloud.until(
    `the agent of ${host} is ${isRunning ? "alive" : "dead"}`,
    async () => (await agentOn(world, sort === "l3" ? l3 : dhcp, host)).isAlive === isRunning,
    120,
  );
};

/** What the document says of Neutron's agents, and what goes wrong on the way. */
export const agentScenarios: readonly Scenario[] = [
  {
    title: "an L3 and a DHCP agent are deleted: others get their routers and networks, then pods and locks go",
    async run(world) {
      const problems: string[] = [];
      watchOrder(world, problems);
      await createAgent(world, NeutronL3Agent);
      await createAgent(world, NeutronDHCPAgent);
      expect(await locksOf(world)).toEqual(["NeutronDHCPAgent", "NeutronL3Agent", "NovaComputeNode"]);
      const routers = [await serve(world, l3), await serve(world, l3), await serve(world, l3)];
      const network = await serve(world, dhcp);
      for (const kind of [NeutronL3Agent, NeutronDHCPAgent]) await removeAgent(world, kind);
      await swept(world, "it asks for agreement", async () =>
        (await conditionOf(world, "converged", NeutronL3Agent)).includes(
          `kubectl annotate neutronl3agent -n ${namespace} ${node} ${approvalKey}=true`,
        ),
      );
      await nothingHappens(world);
      expect(await hostsOf(world, l3, routers[0] ?? "")).toEqual([node]);
      for (const kind of [NeutronL3Agent, NeutronDHCPAgent]) await approveAgent(world, kind);
      for (const kind of [NeutronL3Agent, NeutronDHCPAgent]) await isAgentGone(world, kind);
      for (const router of routers) expect(await hostsOf(world, l3, router)).toEqual([other]);
      expect(await hostsOf(world, dhcp, network)).toEqual([other]);
      for (const service of [l3, dhcp])
        expect(await agentOn(world, service)).toMatchObject({
          isEnabled: false,
          description: expect.stringMatching(/^Holdfast evicts Neutron/),
        });
      expect(await locksOf(world)).toEqual(["NovaComputeNode"]);
      expect([await podOf(world, agentPod(NeutronL3Agent)), await podOf(world, agentPod(NeutronDHCPAgent))]).toEqual([
        undefined,
        undefined,
      ]);
      expect(problems).toEqual([]);
    },
  },
  {
    title: "an L2 agent is updated under three dependents: all leave first, and all are back and enabled after it",
    async run(world) {
      const problems: string[] = [];
      watchOrder(world, problems);
      const three = [NeutronL3Agent, NeutronDHCPAgent];
      for (const kind of three) await createAgent(world, kind);
      const ids = await boot(world, 1);
      const router = await serve(world, l3);
      const before = (await podOf(world, agentPod(NeutronL2Agent)))?.metadata.uid;
      await updateL2Agent(world);
      await swept(world, "the Node asks others to leave", async () => (await labelOf(world)) === "True");
      await approve(world);
      await approveAgent(world, NeutronL3Agent);
      await swept(world, "one lock is left", async () => (await locksOf(world)).join() === "NeutronDHCPAgent");
      await nothingHappens(world);
      expect((await podOf(world, agentPod(NeutronL2Agent)))?.metadata.uid).toBe(before);
      await approveAgent(world, NeutronDHCPAgent);
      await swept(world, "the L2 agent's pod is a new one", async () => {
        const pod = await podOf(world, agentPod(NeutronL2Agent));
        return pod && pod.metadata.uid !== before;
      });
      expect(await whereabouts(world, ids)).toEqual([`ACTIVE ${other}`]);
      expect(await hostsOf(world, l3, router)).toEqual([other]);
      for (const kind of three) await serves(world, kind);
      for (const service of [l3, dhcp])
        expect(await agentOn(world, service)).toMatchObject({ isEnabled: true, description: "" });
      await swept(world, "all locks are back", async () => (await locksOf(world)).length === 3);
      expect(problems).toEqual([]);
    },
  },
  {
    title: "a dead L3 agent leaves like one that lives, and without another one its routers stay and it says so",
    async run(world) {
      await createAgent(world, NeutronL3Agent);
      const router = await serve(world, l3);
      await setAgent(world, "l3", node, false);
      await setAgent(world, "l3", other, false);
      await removeAgent(world, NeutronL3Agent);
      await approveAgent(world, NeutronL3Agent);
      await swept(world, "it says so", async () =>
        (await conditionOf(world, "converged", NeutronL3Agent)).includes("No other L3 agent is alive and enabled"),
      );
      await nothingHappens(world);
      expect(await hostsOf(world, l3, router)).toEqual([node]);
      expect(await podOf(world, agentPod(NeutronL3Agent))).toBeDefined();
      await setAgent(world, "l3", other, true);
      await isAgentGone(world, NeutronL3Agent);
      expect(await hostsOf(world, l3, router)).toEqual([other]);
    },
  },
  {
    title: "a router that Neutron has on no agent, because the answer was lost, comes to the one that was written down",
    async run(world) {
      const { standIn } = besideOf(world);
      await createAgent(world, NeutronL3Agent);
      const router = await serve(world, l3);
      const answer = standIn?.network.answer;
      let lost = 0;
      const network = standIn?.network as NonNullable<typeof standIn>["network"];
      network.answer = async (account, request) => {
        const isAdd = request.method === "POST" && request.path.endsWith("/l3-routers");
        if (isAdd && lost++ === 0) throw new Error("connect ECONNRESET");
        return answer?.call(network, account, request) as ReturnType<typeof network.answer>;
      };
      await removeAgent(world, NeutronL3Agent);
      await approveAgent(world, NeutronL3Agent);
      await isAgentGone(world, NeutronL3Agent);
      expect([lost > 1, await hostsOf(world, l3, router)]).toEqual([true, [other]]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "an agent whose eviction is called off keeps what it serves, and is enabled again",
    async run(world) {
      await createAgent(world, NeutronL3Agent);
      const router = await serve(world, l3);
      const setState = (state: string) =>
        world.admin.patch(NeutronL3Agent, namespace, node, "merge", { spec: { state } });
      await setState("DisabledAndCleared");
      await approveAgent(world, NeutronL3Agent);
      await swept(world, "it is cleared", async () =>
        (await conditionOf(world, "evicted", NeutronL3Agent)).startsWith("Evicted"),
      );
      expect(await hostsOf(world, l3, router)).toEqual([other]);
      expect([await agentOn(world, l3), await podOf(world, agentPod(NeutronL3Agent))]).toMatchObject([
        { isEnabled: false },
        { kind: "Pod" },
      ]);
      await setState("Enabled");
      await serves(world, NeutronL3Agent);
      expect(await agentOn(world, l3)).toMatchObject({ isEnabled: true, description: "" });
      const agent = await world.admin.get(NeutronL3Agent, namespace, node);
      expect(agent?.metadata.annotations?.[approvalKey]).toBeUndefined();
    },
  },
  {
    title: "an HA router stays on the agent until another one stands by, and is active there before the agent goes",
    async run(world) {
      const { standIn } = besideOf(world);
      await createAgent(world, NeutronL3Agent);
      const router = standIn?.network.create("l3", "ha", true).id ?? "";
      const { cloud } = besideOf(world);
      await cloud.neutron().add(l3, (await agentOn(world, l3)).id, router);
      await removeAgent(world, NeutronL3Agent);
      await approveAgent(world, NeutronL3Agent);
      await swept(world, "it is on both", async () => (await hostsOf(world, l3, router))?.length === 2);
      await isAgentGone(world, NeutronL3Agent);
      expect(await cloud.neutron().agentsOf(l3, router)).toMatchObject([{ host: other, haState: "active" }]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "agents of every kind leave with the L2 agent, and come back",
    async run(world) {
      for (const kind of agents) await createAgent(world, kind);
      const { standIn, cloud } = besideOf(world);
      const speaker = standIn?.network.create("bgp", "speaker").id ?? "";
      await cloud.neutron().add(bgp, (await agentOn(world, bgp)).id, speaker);
      await updateL2Agent(world);
      await approve(world);
      for (const kind of agents) await approveAgent(world, kind);
      // By mistake: it is for an agent that Neutron does not know, and so changes nothing.
      const givenUp = { metadata: { annotations: { [abandonKey]: "another-node" } } };
      for (const kind of agents) await world.admin.patch(kind, namespace, node, "merge", givenUp);
      await swept(world, "no lock is left", async () => (await locksOf(world)).length === 0);
      expect(await hostsOf(world, bgp, speaker)).toEqual([other]);
      for (const kind of agents) {
        await serves(world, kind);
        const agent = await world.admin.get(kind, namespace, node);
        expect(agent?.metadata.annotations).not.toHaveProperty([abandonKey]);
      }
      for (const kind of agents) {
        await removeAgent(world, kind);
        await swept(world, "it asks for agreement", async () =>
          (await conditionOf(world, "converged", kind)).includes(`${approvalKey}=true`),
        );
        await approveAgent(world, kind);
        await isAgentGone(world, kind);
      }
    },
    settings: [standInOpenStack],
  },
  {
    title: "a router that no agent takes is asked for three times, shown, and again when a person asks",
    async run(world) {
      const { standIn } = besideOf(world);
      await createAgent(world, NeutronL3Agent);
      const router = await serve(world, l3);
      const network = standIn?.network as NonNullable<typeof standIn>["network"];
      const { answer } = network;
      let asked = 0;
      network.answer = async (account, request) => {
        const isRemove = request.method === "DELETE" && request.path.includes("/l3-routers/");
        if (!isRemove) return answer.call(network, account, request);
        asked += 1;
        return {
          status: 409,
          headers: {},
          body: '{"NeutronError":{"type":"Distributed","message":"No.","detail":""}}',
        };
      };
      await removeAgent(world, NeutronL3Agent);
      await approveAgent(world, NeutronL3Agent);
      await swept(world, "it is shown", async () =>
        (await conditionOf(world, "converged", NeutronL3Agent)).includes(`The router ${router} has not moved`),
      );
      expect(asked).toBe(3);
      expect(await hostsOf(world, l3, router)).toEqual([node]);
      network.answer = answer;
      await annotateAgent(world, NeutronL3Agent, { [retryKey]: "true" });
      await isAgentGone(world, NeutronL3Agent);
      expect(await hostsOf(world, l3, router)).toEqual([other]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "pods of an agent that another operator keeps go when others have its routers",
    async run(world) {
      const label = { key: "network.yaook.cloud/neutron-l3-agent", value: "true" };
      const selector = { matchLabels: { app: "l3" }, schedulingLabel: label };
      await create(world, { selector }, NeutronL3Agent);
      const operated = async <T>(check: Promise<T>) => {
        await operate(world, label.key, "l3");
        return check;
      };
      await swept(world, "it serves", () => operated(isEnabled(world)));
      const router = await serve(world, l3);
      await removeAgent(world, NeutronL3Agent);
      await approveAgent(world, NeutronL3Agent);
      await swept(world, "it is gone", () =>
        operated(world.admin.get(NeutronL3Agent, namespace, node).then((agent) => !agent)),
      );
      expect([await hostsOf(world, l3, router), await podOf(world, "l3-x")]).toEqual([[other], undefined]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "an OVN agent in the place of an L2 agent labels the Node, and is replaced when no lock is there",
    async run(world) {
      await removeAgent(world, NeutronL2Agent);
      await approveAgent(world, NeutronL2Agent);
      await approve(world);
      await isAgentGone(world, NeutronL2Agent);
      expect([await labelOf(world), await locksOf(world)]).toEqual(["True", []]);
      await world.admin.create(NeutronOVNAgent, manifest(NeutronOVNAgent, { name: node, namespace }, { spec: base }));
      await serves(world, NovaComputeNode);
      const before = (await podOf(world, agentPod(NeutronOVNAgent)))?.metadata.uid;
      await updateL2Agent(world, undefined, NeutronOVNAgent);
      await swept(world, "it waits for the lock", async () =>
        (await conditionOf(world, "converged", NeutronOVNAgent)).includes(
          `no lock is on Node ${node}: NovaComputeNode`,
        ),
      );
      await approve(world);
      await swept(world, "its pod is a new one", async () => {
        const pod = await podOf(world, agentPod(NeutronOVNAgent));
        return pod && pod.metadata.uid !== before;
      });
      await serves(world, NovaComputeNode);
      expect(await labelOf(world)).toBe("False");
    },
    settings: [standInOpenStack],
  },
  {
    title: "an L2 and an OVN agent on one Node are both left and shown, and deleting the new one ends it",
    async run(world) {
      const before = (await podOf(world, agentPod(NeutronL2Agent)))?.metadata.uid;
      await world.admin.create(NeutronOVNAgent, manifest(NeutronOVNAgent, { name: node, namespace }, { spec: base }));
      for (const each of [NeutronL2Agent, NeutronOVNAgent])
        await swept(world, "both say so", async () => {
          await annotateAgent(world, each, { nudge: "" });
          return (await conditionOf(world, "converged", each)).includes("Holdfast touches neither");
        });
      await removeAgent(world, NeutronOVNAgent);
      await isAgentGone(world, NeutronOVNAgent);
      await annotateAgent(world, NeutronL2Agent, { nudge: "again" });
      await swept(world, "the L2 agent is as it was", async () =>
        (await conditionOf(world, "converged", NeutronL2Agent)).startsWith("True"),
      );
      expect([await labelOf(world), (await podOf(world, agentPod(NeutronL2Agent)))?.metadata.uid]).toEqual([
        "False",
        before,
      ]);
    },
    settings: [standInOpenStack],
  },
];
