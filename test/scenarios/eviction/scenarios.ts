import { expect } from "vitest";
import { loadRules } from "../../../cli/rules/load-systems.ts";
import { type UninstallScope, uninstall } from "../../../cli/uninstall/uninstall.ts";
import { NeutronL2Agent, NovaComputeNode } from "../../../functions/eviction/lib/kinds.ts";
import {
  abandonKey,
  approvalKey,
  computeFinalizer,
  pauseKey,
  retryKey,
} from "../../../functions/eviction/lib/names.ts";
import { Node, Pod } from "../../../shared/kubernetes/kind.ts";
import { manifest } from "../../worlds/manifest.ts";
import { timePasses } from "../../worlds/time-passes.ts";
import type { World } from "../../worlds/world.ts";
import type { Scenario } from "../scenario.ts";
import { agentScenarios } from "./agents.ts";
import { badInputScenarios } from "./bad-input.ts";
import { budgets } from "./budgets.ts";
import {
  annotateCompute,
  approve,
  boot,
  cleared,
  computeOf,
  computePod,
  conditionOf,
  counters,
  create,
  dependents,
  labelOf,
  locksOf,
  namespace,
  node,
  nothingHappens,
  operate,
  other,
  podOf,
  schedulingLabel,
  serviceOf,
  serving,
  setState,
  swept,
  updateL2Agent,
  watchOrder,
  whereabouts,
  whileItMoves,
} from "./helpers.ts";
import { localDisks, outages } from "./outages.ts";
import { besideOf, standInOpenStack } from "./settings.ts";

const lock = "NovaComputeNode";
const isGone = (world: World) => swept(world, "the resource is gone", async () => !(await computeOf(world)));
const remove = (world: World) => world.admin.delete(NovaComputeNode, namespace, node);
const evicted = (world: World) =>
  swept(world, "it is evicted", async () => (await conditionOf(world, "evicted")).startsWith("Evicted"));
/** What the document says of a compute node, and what goes wrong on the way. */
const all: readonly Scenario[] = [
  {
    title: "a compute node with three servers is deleted: they leave, live, and cold and confirmed, then pod and lock",
    async run(world) {
      const problems: string[] = [];
      watchOrder(world, problems);
      expect(await locksOf(world)).toEqual([lock]);
      const ids = await boot(world, 2, 1);
      await remove(world);
      await swept(world, "it asks for agreement", async () =>
        (await conditionOf(world, "converged")).includes(`${approvalKey}=true`),
      );
      await nothingHappens(world);
      expect(await serviceOf(world)).toMatchObject({ isEnabled: true });
      expect(await whereabouts(world, ids)).toEqual([`ACTIVE ${node}`, `ACTIVE ${node}`, `SHUTOFF ${node}`]);

      await approve(world);
      await swept(world, "yaookctl sees an eviction", async () => {
        const [enabled, converged, evicted] = [
          await conditionOf(world, "enabled"),
          await conditionOf(world, "converged"),
          await conditionOf(world, "evicted"),
        ];
        return /^False/.test(enabled) && /^False (InProgress|Dependency)/.test(converged) && /^Evicting/.test(evicted);
      });
      expect((await serviceOf(world)).disabledReason).toContain(`Holdfast evicts NovaComputeNode ${namespace}/${node}`);
      await isGone(world);
      expect(await whereabouts(world, ids)).toEqual([`ACTIVE ${other}`, `ACTIVE ${other}`, `SHUTOFF ${other}`]);
      expect(await podOf(world)).toBeUndefined();
      expect(await locksOf(world)).toEqual([]);
      expect(await serviceOf(world)).toMatchObject({ isEnabled: false });
      expect(problems).toEqual([]);
    },
  },
  {
    title:
      "an L2 agent is updated: the compute node leaves first, and is back with lock, pod and service when it is ready",
    async run(world) {
      const problems: string[] = [];
      watchOrder(world, problems);
      const ids = await boot(world, 1);
      const before = (await podOf(world, `neutronl2agent-${node}`))?.metadata.uid;
      await updateL2Agent(world, {});
      await swept(world, "it asks for agreement", async () =>
        JSON.stringify((await world.admin.get(NeutronL2Agent, namespace, node))?.status).includes(
          `kubectl annotate neutronl2agent -n ${namespace} ${node} ${approvalKey}=true`,
        ),
      );
      await nothingHappens(world);
      expect(await labelOf(world)).toBe("False");
      await updateL2Agent(world);
      await swept(world, "the Node asks others to leave", async () => (await labelOf(world)) === "True");
      await nothingHappens(world);
      expect((await podOf(world, `neutronl2agent-${node}`))?.metadata.uid).toBe(before);
      const agent = await world.admin.get(NeutronL2Agent, namespace, node);
      expect(JSON.stringify(agent?.status)).toContain(`no lock is on Node ${node}: ${lock}`);
      await approve(world);
      await swept(world, "the L2 agent's pod is a new one", async () => {
        const pod = await podOf(world, `neutronl2agent-${node}`);
        return pod && pod.metadata.uid !== before;
      });
      expect(await whereabouts(world, ids)).toEqual([`ACTIVE ${other}`]);
      await swept(world, "the compute node serves again", async () =>
        (await conditionOf(world, "enabled")).startsWith("True"),
      );
      expect([await labelOf(world), await locksOf(world)]).toEqual(["False", [lock]]);
      const renewed = await world.admin.get(NeutronL2Agent, namespace, node);
      expect(renewed?.metadata.annotations?.[approvalKey]).toBeUndefined();
      expect(await serviceOf(world)).toMatchObject({ isEnabled: true });
      await swept(
        world,
        "the agreement is used up",
        async () => !(await computeOf(world))?.metadata.annotations?.[approvalKey],
      );
      expect(problems).toEqual([]);
    },
  },
  {
    title: "an eviction that is called off in the middle ends what is in flight, and enables what it has disabled",
    async run(world) {
      const { cloud } = besideOf(world);
      const ids = await boot(world, 3, 1);
      await setState(world, "DisabledAndCleared");
      await approve(world);
      await swept(world, "a move is under way", async () => (await cloud.nova().migrations(node)).length > 0);
      // By mistake: it is for a host that Nova does not know, and so changes nothing.
      const givenUp = { metadata: { annotations: { [abandonKey]: "another-node" } } };
      await world.admin.patch(NovaComputeNode, namespace, node, "merge", givenUp);
      await setState(world, "Enabled");
      await swept(world, "it serves again", async () => (await conditionOf(world, "converged")).startsWith("True"));
      const { length } = await cloud.nova().migrations(node);
      await nothingHappens(world);
      expect(await cloud.nova().migrations(node)).toHaveLength(length);
      expect(await serviceOf(world)).toMatchObject({ isEnabled: true });
      const where = await whereabouts(world, ids);
      expect(where.filter((each) => each.endsWith(node)).length).toBeGreaterThan(0);
      expect(where.filter((each) => !/^(ACTIVE|SHUTOFF) /.test(each))).toEqual([]);
      expect(await conditionOf(world, "evicted")).toMatch(/^NotEvicting/);
      const left = Object.keys((await computeOf(world))?.metadata.annotations ?? {});
      expect(left.filter((key) => key === approvalKey || key === abandonKey)).toEqual([]);
    },
  },
  {
    title: "a compute node that is to be cleared keeps pod and lock, and stays disabled",
    async run(world) {
      const ids = await boot(world, 1);
      await setState(world, "DisabledAndCleared");
      await approve(world);
      await evicted(world);
      expect(await whereabouts(world, ids)).toEqual([`ACTIVE ${other}`]);
      expect([await locksOf(world), (await podOf(world)) !== undefined]).toEqual([[lock], true]);
      expect(await conditionOf(world, "converged")).toMatch(/^True Success/);
      await setState(world, "Enabled");
      await swept(world, "it serves again", async () => (await serviceOf(world)).isEnabled);
    },
  },
  {
    title: "a server in ERROR is left and shown, and the eviction goes on when a person has dealt with it",
    async run(world) {
      const { cloud } = besideOf(world);
      const [broken = ""] = await boot(world, 2);
      await cloud.act(broken, { "os-resetState": { state: "error" } });
      await remove(world);
      await approve(world);
      await swept(world, "the server is shown", async () => {
        const said = await conditionOf(world, "converged");
        const { unhandleable, migrated } = await counters(world);
        return said.includes(`Server ${broken}: It is in ERROR`) && unhandleable === 1 && migrated === 1;
      });
      expect((await podOf(world)) !== undefined).toBe(true);
      await cloud.act(broken, { "os-resetState": { state: "active" } });
      await isGone(world);
      expect(await whereabouts(world, [broken])).toEqual([`ACTIVE ${other}`]);
    },
  },
  {
    title: "servers that no host takes are tried several times, shown with Nova's reason, and again when a person asks",
    async run(world) {
      const { cloud, attempts } = besideOf(world);
      const [id = ""] = await boot(world, 0, 1);
      const target = await cloud.nova().service(other);
      await cloud.nova().disable(target?.id ?? "", "a person's");
      await remove(world);
      await approve(world);
      const said = await swept(world, "it is shown", async () => {
        const message = await conditionOf(world, "converged");
        return message.includes(`${attempts} moves have failed`) && message;
      });
      expect(said).toMatch(/No valid host was found.*holdfast.dev\/retry-eviction=true/);
      expect((await cloud.nova().migrations(node)).filter(({ server }) => server === id)).toHaveLength(attempts);
      await nothingHappens(world);
      expect((await cloud.nova().migrations(node)).filter(({ server }) => server === id)).toHaveLength(attempts);
      await cloud.nova().enable(target?.id ?? "");
      await annotateCompute(world, { [retryKey]: "true" });
      await isGone(world);
      expect(await whereabouts(world, [id])).toEqual([`SHUTOFF ${other}`]);
    },
  },
  {
    title: "a server that a person has moved and not confirmed is shown, and leaves when a person has confirmed it",
    async run(world) {
      const { cloud } = besideOf(world);
      const [id = ""] = await boot(world, 0, 1);
      await cloud.act(id, { migrate: null });
      await cloud.reaches(id, "VERIFY_RESIZE");
      await remove(world);
      await approve(world);
      await swept(world, "the server is shown", async () =>
        (await conditionOf(world, "converged")).includes(
          `Server ${id}: Its migration from this host stands at VERIFY_RESIZE, and is not Holdfast's.`,
        ),
      );
      await nothingHappens(world);
      expect(await podOf(world)).toBeDefined();
      expect(await cloud.server(id)).toMatchObject({ status: "VERIFY_RESIZE" });
      await cloud.act(id, { confirmResize: null });
      await isGone(world);
      expect(await whereabouts(world, [id])).toEqual([`SHUTOFF ${other}`]);
    },
  },
  {
    title: "a live move whose target dies in the middle is shown, and ends when that host is back",
    async run(world) {
      const { cloud } = besideOf(world);
      const [id = ""] = await boot(world, 1);
      await remove(world);
      await approve(world);
      await whileItMoves(world, other);
      await swept(world, "it is shown", async () =>
        (await conditionOf(world, "converged")).includes(
          `nova-compute of ${other} has stopped in the middle. Start it`,
        ),
      );
      expect(await podOf(world)).toBeDefined();
      await cloud.under.control?.start(other);
      await isGone(world);
      expect(await whereabouts(world, [id])).toEqual([`ACTIVE ${other}`]);
    },
  },
  {
    title:
      "functions that die after each of their calls, to Kubernetes or OpenStack, move each server once all the same",
    async run(world) {
      const { cloud, wire } = besideOf(world);
      const ids = await boot(world, 1, 1);
      const seen = new Set<string>();
      const isFirst = (key: string) => seen.size < seen.add(key).size;
      // As if the process was killed: the call has its effect, and nothing comes after it.
      world.intercept(async ({ rule, request }, send) => {
        const response = await send();
        if (
          rule.startsWith("eviction/") &&
          request.method !== "GET" &&
          isFirst(`${rule} ${request.method} ${request.path}`)
        )
          throw new Error("The process has died.");
        return response;
      }, "everywhere");
      wire.step = async (request, send) => {
        const response = await send();
        const isLost = request.method !== "GET" && isFirst(`${request.method} ${request.path} ${request.body}`);
        if (isLost) throw new Error("socket hang up");
        return response;
      };
      await remove(world);
      await approve(world);
      await isGone(world);
      wire.step = (_, send) => send();
      expect(seen.size).toBeGreaterThan(10);
      expect(await whereabouts(world, ids)).toEqual([`ACTIVE ${other}`, `SHUTOFF ${other}`]);
      expect((await cloud.nova().migrations(node)).map(({ server }) => server).toSorted()).toEqual([...ids].toSorted());
      expect([await locksOf(world), await podOf(world)]).toEqual([[], undefined]);
    },
  },
  {
    title: "confirmations that Nova refuses are asked for three times, and then a person's",
    async run(world) {
      const { cloud, standIn } = besideOf(world);
      const [off = ""] = await boot(world, 0, 1);
      let asked = 0;
      const act = standIn?.cloud.act;
      Object.assign(standIn?.cloud ?? {}, {
        act: (...[instance, action, argument]: Parameters<NonNullable<typeof act>>) => {
          if (action !== "confirmResize") return act?.(instance, action, argument);
          asked += 1;
          return { status: 409, message: "Service is unavailable at this time." };
        },
      });
      await remove(world);
      await approve(world);
      await swept(world, "a confirmation is refused", async () => asked > 0);
      await swept(world, "it is shown", async () =>
        (await conditionOf(world, "converged")).includes("3 confirmations had no effect. Confirm it."),
      );
      expect(asked).toBe(3);
      Object.assign(standIn?.cloud ?? {}, { act });
      await cloud.act(off, { confirmResize: null });
      await isGone(world);
      expect(await whereabouts(world, [off])).toEqual([`SHUTOFF ${other}`]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "nova-compute that a person has disabled is never enabled by Holdfast",
    async run(world) {
      const { cloud } = besideOf(world);
      const { id } = await serviceOf(world);
      await cloud.nova().disable(id, "a person's");
      await setState(world, "DisabledAndCleared");
      await approve(world);
      await evicted(world);
      await setState(world, "Enabled");
      await swept(world, "it says so", async () =>
        (await conditionOf(world, "converged")).includes("disabled, and not by Holdfast"),
      );
      await nothingHappens(world);
      expect(await serviceOf(world)).toMatchObject({ isEnabled: false, disabledReason: "a person's" });
    },
  },
  {
    title: "pods of another operator come and go by the label of the Node that the spec names",
    async run(world) {
      await remove(world);
      await approve(world);
      await isGone(world);
      await besideOf(world).cloud.cleanUp();
      await create(world, { selector: { matchLabels: { app: "nova-compute" }, schedulingLabel } });
      await swept(world, "the compute node serves", async () => {
        await operate(world);
        return (await podOf(world, "nova-compute-x")) && (await conditionOf(world, "enabled")).startsWith("True");
      });
      const ids = await boot(world, 1);
      await remove(world);
      await approve(world);
      await swept(world, "the resource is gone", async () => {
        await operate(world);
        return !(await computeOf(world));
      });
      expect(await whereabouts(world, ids)).toEqual([`ACTIVE ${other}`]);
      expect([await podOf(world, "nova-compute-x"), await locksOf(world)]).toEqual([undefined, []]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a pod that has ended comes again, and a template that has changed is shown and changes no pod",
    async run(world) {
      const before = (await podOf(world))?.metadata.uid;
      const status = { phase: "Failed" };
      await world.admin.patch(Pod, namespace, computePod, "merge", { status }, { subresource: "status" });
      // In truth the sweep comes by within an hour.
      await annotateCompute(world, { nudge: "" });
      const renewed = await swept(world, "there is another pod", async () => {
        const pod = await podOf(world);
        return pod && pod.metadata.uid !== before && pod;
      });
      const template = { metadata: { labels: { version: "2" } } };
      await world.admin.patch(NovaComputeNode, namespace, node, "merge", { spec: { template } });
      await swept(world, "it is shown", async () =>
        (await conditionOf(world, "requiresRecreation")).startsWith("True"),
      );
      await nothingHappens(world);
      expect((await podOf(world))?.metadata.uid).toBe(renewed.metadata.uid);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a deletion in the foreground takes no pod before the servers have left",
    async run(world) {
      const ids = await boot(world, 1);
      expect(await dependents(world)).toEqual([]);
      await world.admin.delete(NovaComputeNode, namespace, node, { propagationPolicy: "Foreground" });
      await nothingHappens(world);
      expect(await podOf(world)).toBeDefined();
      await approve(world);
      await isGone(world);
      expect(await whereabouts(world, ids)).toEqual([`ACTIVE ${other}`]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a pod of the right name that was made for another resource is named, and never deleted or counted",
    async run(world) {
      const uid = { metadata: { annotations: { "holdfast.dev/agent-uid": "another" } } };
      const before = (await podOf(world))?.metadata.uid;
      await world.admin.patch(Pod, namespace, computePod, "merge", uid);
      await remove(world);
      await approve(world);
      await isGone(world);
      expect((await podOf(world))?.metadata.uid).toBe(before);
      await create(world);
      await swept(world, "it is named", async () =>
        (await conditionOf(world, "converged")).includes(`kubectl delete pod -n ${namespace} ${computePod}`),
      );
      await world.admin.delete(Pod, namespace, computePod, { gracePeriodSeconds: 0 });
      await swept(world, "it serves", async () => (await conditionOf(world, "enabled")).startsWith("True"));
      expect((await podOf(world))?.metadata.uid).not.toBe(before);
    },
    settings: [standInOpenStack],
  },
  {
    title: "only true agrees to an eviction",
    async run(world) {
      await setState(world, "DisabledAndCleared");
      for (const said of ["no", "False", ""]) {
        await annotateCompute(world, { [approvalKey]: said });
        await nothingHappens(world);
        expect(await serviceOf(world)).toMatchObject({ isEnabled: true });
      }
      await approve(world);
      await evicted(world);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a pod that is lost while servers are on the host comes again, and lock and L2 agent stay meanwhile",
    async run(world) {
      const problems: string[] = [];
      watchOrder(world, problems);
      const { admin } = world;
      const ids = await boot(world, 1);
      const l2Agent = (await podOf(world, `neutronl2agent-${node}`))?.metadata.uid;
      await updateL2Agent(world);
      await swept(world, "the Node asks others to leave", async () => (await labelOf(world)) === "True");
      const renewed = (before: string | undefined) =>
        swept(world, "there is another pod", async () => {
          const uid = (await podOf(world))?.metadata.uid;
          return uid !== before && uid;
        });
      const first = (await podOf(world))?.metadata.uid;
      await admin.delete(Pod, namespace, computePod, { gracePeriodSeconds: 0 });
      await annotateCompute(world, { nudge: "" });
      const second = await renewed(first);
      const status = { phase: "Failed" };
      await admin.patch(Pod, namespace, computePod, "merge", { status }, { subresource: "status" });
      await annotateCompute(world, { nudge: "again" });
      await renewed(second);
      await nothingHappens(world);
      expect(await locksOf(world)).toEqual([lock]);
      expect((await podOf(world, `neutronl2agent-${node}`))?.metadata.uid).toBe(l2Agent);
      await approve(world);
      await swept(world, "the L2 agent's pod is a new one", async () => {
        const pod = await podOf(world, `neutronl2agent-${node}`);
        return pod && pod.metadata.uid !== l2Agent;
      });
      expect(await whereabouts(world, ids)).toEqual([`ACTIVE ${other}`]);
      expect(problems).toEqual([]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "while a move to the host is not over its pod stays, and the message names the server",
    async run(world) {
      const { cloud } = besideOf(world);
      const id = await cloud.boot(other);
      await cloud.act(id, { "os-migrateLive": { host: null, block_migration: "auto" } });
      await cloud.until("it is on its way", async () =>
        (await cloud.nova().migrations(other)).some(({ target, status }) => target === node && status === "running"),
      );
      // Its source dies: from then on Nova says for ever that the move runs.
      await cloud.under.control?.stop(other);
      await remove(world);
      await approve(world);
      await swept(world, "it says so", async () =>
        (await conditionOf(world, "converged")).includes(`Moves to ${node} are not over yet, of servers ${id}.`),
      );
      await cloud.pass(60);
      await nothingHappens(world);
      expect(await podOf(world)).toBeDefined();
      await cloud.send("DELETE", `/servers/${id}`);
      await isGone(world);
    },
    settings: [standInOpenStack],
  },
  {
    title: "an uninstall leaves the finalizers of compute nodes and L2 agents, and waits for an eviction to end",
    async run(world) {
      const { admin: client, clock } = world;
      const rules = await loadRules(["eviction"]);
      const uninstalled = async (scope: Partial<UninstallScope>) => {
        const said: string[] = [];
        const tools = { client, clock, say: (sentence: string) => void said.push(sentence), mayGoOn: async () => true };
        const all = { systems: ["eviction"], rules, definitions: [], dryRun: false, leaveUnfinished: false, ...scope };
        await timePasses(world, "the uninstall ends", uninstall(tools, all));
        return said.join("\n");
      };
      const said = await uninstalled({ dryRun: true });
      for (const plural of ["novacomputenodes", "neutronl2agents"])
        expect(said).toMatch(new RegExp(`stays on ${plural}, because they stand for`));
      await remove(world);
      await expect(uninstalled({})).rejects.toThrow(node);
      expect((await computeOf(world))?.metadata.finalizers).toEqual([computeFinalizer]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a compute node that is paused is left alone, and one that Yaook's own job evicts as well",
    async run(world) {
      const ids = await boot(world, 1);
      await annotateCompute(world, { [pauseKey]: "" });
      await approve(world);
      await remove(world);
      await nothingHappens(world);
      expect(await serviceOf(world)).toMatchObject({ isEnabled: true });
      const labels = { app: "compute-evict" };
      const job = manifest(
        Pod,
        { name: `compute-evict-${node}-x1`, namespace, labels },
        { spec: { containers: [{ name: "evict", image: "evict" }], nodeName: "holdfast-bare-node" } },
      );
      await world.admin.create(Pod, job);
      await annotateCompute(world, { [pauseKey]: null });
      await swept(world, "it says so", async () =>
        (await conditionOf(world, "converged")).includes(`Pod compute-evict-${node}-x1 of Yaook's own eviction runs`),
      );
      expect(await serviceOf(world)).toMatchObject({ isEnabled: true });
      await world.admin.delete(Pod, namespace, job.metadata.name, { gracePeriodSeconds: 0 });
      await isGone(world);
      expect(await whereabouts(world, ids)).toEqual([`ACTIVE ${other}`]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a lock of any name keeps the L2 agent, and no compute node comes while its label is not False",
    async run(world) {
      const foreign = "l2-lock.maintenance.yaook.cloud/octavia-manager";
      await world.admin.patch(Node, undefined, node, "merge", { metadata: { annotations: { [foreign]: "" } } });
      const before = (await podOf(world, `neutronl2agent-${node}`))?.metadata.uid;
      await updateL2Agent(world);
      await approve(world);
      await swept(world, "the compute node is off", async () => !(await podOf(world)));
      await swept(world, "its lock is off", async () => (await locksOf(world)).join() === "octavia-manager");
      await nothingHappens(world);
      expect((await podOf(world, `neutronl2agent-${node}`))?.metadata.uid).toBe(before);
      expect(await podOf(world)).toBeUndefined();
      await world.admin.patch(Node, undefined, node, "merge", { metadata: { annotations: { [foreign]: null } } });
      await swept(world, "the compute node serves again", async () =>
        (await conditionOf(world, "enabled")).startsWith("True"),
      );
      expect((await podOf(world, `neutronl2agent-${node}`))?.metadata.uid).not.toBe(before);
    },
  },
  {
    title: "while OpenStack is away the object says so and since when, and goes on by itself when it is back",
    async run(world) {
      const { standIn } = besideOf(world);
      const ids = await boot(world, 1);
      standIn?.stop();
      await remove(world);
      await approve(world);
      await swept(world, "it says so", async () =>
        /waits for OpenStack, which has been away since/.test(await conditionOf(world, "converged")),
      );
      await nothingHappens(world);
      standIn?.start();
      await isGone(world);
      expect(await whereabouts(world, ids)).toEqual([`ACTIVE ${other}`]);
    },
    settings: [standInOpenStack],
  },
];

const every = [...all, ...agentScenarios, ...badInputScenarios, ...outages, ...localDisks, ...budgets];

/** The titles of those that are about hosts that share no storage. */
export const ofLocalDisks: readonly string[] = localDisks.map(({ title }) => title);

/** All of the system: each begins with a compute node that serves, alone on its cluster and cloud. */
export const scenarios: readonly Scenario[] = every.map((scenario) => ({
  ...scenario,
  alone: true,
  async run(world) {
    await serving(world);
    try {
      await scenario.run(world);
    } finally {
      await cleared(world);
    }
  },
}));
