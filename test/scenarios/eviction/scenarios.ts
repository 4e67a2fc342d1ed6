import { expect } from "vitest";
import { loadRules } from "../../../cli/rules/load-systems.ts";
import { type UninstallScope, uninstall } from "../../../cli/uninstall/uninstall.ts";
import {
  NeutronL2Agent,
  NeutronL3Agent,
  NeutronOVNBGPAgent,
  NovaComputeNode,
} from "../../../functions/eviction/lib/kinds.ts";
import {
  abandonKey,
  approvalKey,
  computeFinalizer,
  pauseKey,
  retryKey,
} from "../../../functions/eviction/lib/names.ts";
import { lockPrefix, locksOn, maintenanceLabel } from "../../../functions/eviction/lib/node-lock.ts";
import { type Kind, Node, Pod } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { advanceUntilSettled } from "../../harness/advance-until-settled.ts";
import type { Cluster } from "../../harness/cluster.ts";
import { manifest } from "../../harness/manifest.ts";
import type { Scenario } from "../scenario.ts";
import { agentScenarios } from "./agents.ts";
import { badInputScenarios } from "./bad-input.ts";
import { budgets } from "./budgets.ts";
import {
  annotate,
  approve,
  boot,
  cleared,
  computeOf,
  computePod,
  conditionOf,
  counters,
  create,
  dependents,
  evict,
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
  schedulingLabel,
  serves,
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
/** What the document says of a compute node, and what goes wrong on the way. */
/**
 * Makes an L3 agent on the host with the lock of the compute node, whose pods another operator keeps. Returns how to
 * wait until it is gone.
 */
async function sharesLock(cluster: Cluster): Promise<() => Promise<unknown>> {
  const schedulingLabel = { key: "network.yaook.cloud/neutron-l3-agent", value: "true" };
  const selector = { matchLabels: { app: "l3" }, schedulingLabel };
  await create(cluster, { selector, lockName: lock }, NeutronL3Agent);
  const operated = (what: string, check: () => Promise<boolean>) =>
    swept(cluster, what, async () => {
      await operate(cluster, schedulingLabel.key, "l3");
      return check();
    });
  await operated("its pod is there", async () => (await podOf(cluster, "l3-x")) !== undefined);
  return () =>
    operated("the L3 agent is gone", async () => !(await cluster.admin.get(NeutronL3Agent, namespace, node)));
}

const all: readonly Scenario[] = [
  {
    title: "a compute node with three servers is deleted: they leave, live, and cold and confirmed, then pod and lock",
    async run(cluster) {
      const problems: string[] = [];
      watchOrder(cluster, problems);
      expect(await locksOf(cluster)).toEqual([lock]);
      const ids = await boot(cluster, 2, 1);
      await remove(cluster);
      await says(cluster, `${approvalKey}=true`);
      await nothingHappens(cluster);
      expect(await serviceOf(cluster)).toMatchObject({ isEnabled: true });
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${node}`, `ACTIVE ${node}`, `SHUTOFF ${node}`]);

      await approve(cluster);
      await swept(cluster, "yaookctl sees an eviction", async () => {
        const [enabled, converged, evicted] = [
          await conditionOf(cluster, "enabled"),
          await conditionOf(cluster, "converged"),
          await conditionOf(cluster, "evicted"),
        ];
        return /^False/.test(enabled) && /^False (InProgress|Dependency)/.test(converged) && /^Evicting/.test(evicted);
      });
      expect((await serviceOf(cluster)).disabledReason).toContain(
        `Holdfast evicts NovaComputeNode ${namespace}/${node}`,
      );
      await isGone(cluster);
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`, `ACTIVE ${other}`, `SHUTOFF ${other}`]);
      expect(await podOf(cluster)).toBeUndefined();
      expect(await locksOf(cluster)).toEqual([]);
      expect(await serviceOf(cluster)).toMatchObject({ isEnabled: false });
      expect(problems).toEqual([]);
    },
  },
  {
    title:
      "an L2 agent is updated: the compute node leaves first, and is back with lock, pod and service when it is ready",
    async run(cluster) {
      const problems: string[] = [];
      watchOrder(cluster, problems);
      const ids = await boot(cluster, 1);
      const before = (await podOf(cluster, `neutronl2agent-${node}`))?.metadata.uid;
      await updateL2Agent(cluster, {});
      await swept(cluster, "it asks for agreement", async () =>
        JSON.stringify((await cluster.admin.get(NeutronL2Agent, namespace, node))?.status).includes(
          `kubectl annotate neutronl2agent -n ${namespace} ${node} ${approvalKey}=true`,
        ),
      );
      await nothingHappens(cluster);
      expect(await labelOf(cluster)).toBe("False");
      await updateL2Agent(cluster);
      await swept(cluster, "the Node asks others to leave", async () => (await labelOf(cluster)) === "True");
      await nothingHappens(cluster);
      expect((await podOf(cluster, `neutronl2agent-${node}`))?.metadata.uid).toBe(before);
      const agent = await cluster.admin.get(NeutronL2Agent, namespace, node);
      expect(JSON.stringify(agent?.status)).toContain(`Locks are still on Node ${node}: ${lock}`);
      await approve(cluster);
      await l2PodIsNew(cluster, before);
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`]);
      await serves(cluster);
      expect([await labelOf(cluster), await locksOf(cluster)]).toEqual(["False", [lock]]);
      const renewed = await cluster.admin.get(NeutronL2Agent, namespace, node);
      expect(renewed?.metadata.annotations?.[approvalKey]).toBeUndefined();
      expect(await serviceOf(cluster)).toMatchObject({ isEnabled: true });
      await swept(
        cluster,
        "the agreement is used up",
        async () => !(await computeOf(cluster))?.metadata.annotations?.[approvalKey],
      );
      expect(problems).toEqual([]);
    },
  },
  {
    title: "an eviction that is called off in the middle ends what is in flight, and enables what it has disabled",
    async run(cluster) {
      const { cloud } = besideOf(cluster);
      const ids = await boot(cluster, 3, 1);
      await setState(cluster, "DisabledAndCleared");
      await approve(cluster);
      await swept(cluster, "a move is under way", async () => (await cloud.nova().migrations(node)).length > 0);
      // By mistake: it is for a host that Nova does not know, and so changes nothing.
      const givenUp = { metadata: { annotations: { [abandonKey]: "another-node" } } };
      await cluster.admin.patch(NovaComputeNode, namespace, node, "merge", givenUp);
      await setState(cluster, "Enabled");
      await says(cluster, /^True/);
      const { length } = await cloud.nova().migrations(node);
      await nothingHappens(cluster);
      expect(await cloud.nova().migrations(node)).toHaveLength(length);
      expect(await serviceOf(cluster)).toMatchObject({ isEnabled: true });
      const where = await whereabouts(cluster, ids);
      expect(where.filter((each) => each.endsWith(node)).length).toBeGreaterThan(0);
      expect(where.filter((each) => !/^(ACTIVE|SHUTOFF) /.test(each))).toEqual([]);
      expect(await conditionOf(cluster, "evicted")).toMatch(/^NotEvicting/);
      const left = Object.keys((await computeOf(cluster))?.metadata.annotations ?? {});
      expect(left.filter((key) => key === approvalKey || key === abandonKey)).toEqual([]);
    },
  },
  {
    title:
      "a host that is to be disabled only ends its moves, keeps its other servers, and asks again before it is cleared",
    async run(cluster) {
      const { cloud } = besideOf(cluster);
      const ids = await boot(cluster, 1, 3);
      await setState(cluster, "DisabledAndCleared");
      await approve(cluster);
      await swept(cluster, "a move is under way", async () => (await cloud.nova().migrations(node)).length > 0);
      await setState(cluster, "Disabled");
      await says(cluster, "True Success: nova-compute is disabled.");
      const { length } = await cloud.nova().migrations(node);
      await nothingHappens(cluster);
      expect(await cloud.nova().migrations(node)).toHaveLength(length);
      const where = await whereabouts(cluster, ids);
      expect(where.filter((each) => each.endsWith(node)).length).toBeGreaterThan(0);
      expect(where.filter((each) => !/^(ACTIVE|SHUTOFF) /.test(each))).toEqual([]);
      expect(await serviceOf(cluster)).toMatchObject({ isEnabled: false });
      expect(await conditionOf(cluster, "evicted")).toMatch(/^NotEvicting/);
      await setState(cluster, "DisabledAndCleared");
      await says(cluster, "its servers leave the host when you agree");
      await approve(cluster);
      await isEvicted(cluster);
      expect((await whereabouts(cluster, ids)).map((each) => each.split(" ")[1])).toEqual(ids.map(() => other));
    },
  },
  {
    title: "an eviction whose agreement is removed while a move is open says so once, and not by turns",
    async run(cluster) {
      const { standIn } = besideOf(cluster);
      await boot(cluster, 1);
      await setState(cluster, "DisabledAndCleared");
      await approve(cluster);
      await isEvicted(cluster);
      // Nova says of its move that it runs, for as long as the test does.
      Object.assign(standIn?.cloud.moves[0] ?? {}, { status: "running" });
      let patches = 0;
      cluster.intercept(async ({ rule, request }, send) => {
        if (rule.startsWith("eviction/") && request.method === "PATCH" && request.path.includes("/status"))
          patches += 1;
        return send();
      }, "everywhere");
      await annotate(cluster, { [approvalKey]: null });
      await says(cluster, "Holdfast waits for 1 move that began before the eviction was called off.");
      patches = 0;
      await besideOf(cluster).cloud.pass(30);
      await nothingHappens(cluster);
      expect(patches).toBeLessThan(5);
      expect(await conditionOf(cluster, "converged")).toContain(
        "Holdfast waits for 1 move that began before the eviction was called off.",
      );
      expect(await serviceOf(cluster)).toMatchObject({ isEnabled: true });
    },
    settings: [standInOpenStack],
  },
  {
    title: "a compute node that is to be cleared keeps pod and lock, and stays disabled",
    async run(cluster) {
      const ids = await boot(cluster, 1);
      await setState(cluster, "DisabledAndCleared");
      await approve(cluster);
      await isEvicted(cluster);
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`]);
      expect([await locksOf(cluster), (await podOf(cluster)) !== undefined]).toEqual([[lock], true]);
      expect(await conditionOf(cluster, "converged")).toMatch(/^True Success/);
      await setState(cluster, "Enabled");
      await swept(cluster, "it serves again", async () => (await serviceOf(cluster)).isEnabled);
    },
  },
  {
    title: "a server in ERROR is left and shown, and the eviction goes on when a person has dealt with it",
    async run(cluster) {
      const { cloud } = besideOf(cluster);
      const [broken = ""] = await boot(cluster, 2);
      await cloud.act(broken, { "os-resetState": { state: "error" } });
      await evict(cluster);
      await swept(cluster, "the server is shown", async () => {
        const said = await conditionOf(cluster, "converged");
        const { unhandleable, migrated } = await counters(cluster);
        return said.includes(`Server ${broken}: It is in ERROR`) && unhandleable === 1 && migrated === 1;
      });
      expect(await conditionOf(cluster, "serversStuck")).toContain(`${broken}: It is in ERROR`);
      expect((await podOf(cluster)) !== undefined).toBe(true);
      expect(await conditionOf(cluster, "evicted")).toMatch(/^Evicting Stuck: /);
      await cloud.act(broken, { "os-resetState": { state: "active" } });
      await isGone(cluster);
      expect(await whereabouts(cluster, [broken])).toEqual([`ACTIVE ${other}`]);
    },
  },
  {
    title: "servers that no host takes are tried several times, shown with Nova's reason, and again when a person asks",
    async run(cluster) {
      const { cloud, attempts } = besideOf(cluster);
      const [id = ""] = await boot(cluster, 0, 1);
      const target = await cloud.nova().service(other);
      await cloud.nova().disable(target?.id ?? "", "a person's");
      await evict(cluster);
      const said = await says(cluster, `Nova has failed to move it ${attempts} times`);
      expect(said).toMatch(/No valid host was found.*holdfast.dev\/retry-eviction=true/);
      expect((await cloud.nova().migrations(node)).filter(({ server }) => server === id)).toHaveLength(attempts);
      await nothingHappens(cluster);
      expect((await cloud.nova().migrations(node)).filter(({ server }) => server === id)).toHaveLength(attempts);
      await cloud.nova().enable(target?.id ?? "");
      await annotate(cluster, { [retryKey]: "true" });
      await isGone(cluster);
      expect(await whereabouts(cluster, [id])).toEqual([`SHUTOFF ${other}`]);
    },
  },
  {
    title: "a server that a person has moved and not confirmed is shown, and leaves when a person has confirmed it",
    async run(cluster) {
      const { cloud } = besideOf(cluster);
      const [id = ""] = await boot(cluster, 0, 1);
      await cloud.act(id, { migrate: null });
      await cloud.reaches(id, "VERIFY_RESIZE");
      await evict(cluster);
      await says(cluster, `Server ${id}: The server's migration from this host waits at VERIFY_RESIZE`);
      await nothingHappens(cluster);
      expect(await podOf(cluster)).toBeDefined();
      expect(await cloud.server(id)).toMatchObject({ status: "VERIFY_RESIZE" });
      await cloud.act(id, { confirmResize: null });
      await isGone(cluster);
      expect(await whereabouts(cluster, [id])).toEqual([`SHUTOFF ${other}`]);
    },
  },
  {
    title: "a server that a person moves while the host is only disabled waits for that person to confirm it",
    async run(cluster) {
      const { cloud } = besideOf(cluster);
      const [id = ""] = await boot(cluster, 0, 1);
      await setState(cluster, "Disabled");
      await swept(cluster, "it is disabled", async () => !(await serviceOf(cluster)).isEnabled);
      await cloud.act(id, { migrate: null });
      await cloud.reaches(id, "VERIFY_RESIZE");
      await setState(cluster, "Enabled");
      await says(cluster, "nova-compute serves.");
      expect(await whereabouts(cluster, [id])).toEqual([`VERIFY_RESIZE ${other}`]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a cold move whose target dies is confirmed when that host is back, because the source has the other disk",
    async run(cluster) {
      const { cloud, wire } = besideOf(cluster);
      const [id = ""] = await boot(cluster, 0, 1);
      let isAway = false;
      // Nova is away until the move has ended, and its target has died.
      wire.step = async (request, send) => {
        if (isAway) throw new Error("connect ECONNREFUSED");
        isAway = request.body === '{"migrate":null}';
        return send();
      };
      await evict(cluster);
      await swept(cluster, "it moves", async () => isAway);
      await cloud.reaches(id, "VERIFY_RESIZE");
      await cloud.under.control?.stop(other);
      const isDown = async () => (await cloud.nova().service(other))?.state === "down";
      await cloud.until("its target is down", isDown, 120);
      wire.step = (_, send) => send();
      await says(cluster, `Server ${id}: The server's move to ${other} waits at VERIFY_RESIZE`);
      await nothingHappens(cluster);
      await annotate(cluster, { [approvalKey]: null });
      await nothingHappens(cluster);
      expect(await whereabouts(cluster, [id])).toEqual([`VERIFY_RESIZE ${other}`]);
      await approve(cluster);
      await cloud.under.control?.start(other);
      await isGone(cluster);
      expect(await whereabouts(cluster, [id])).toEqual([`SHUTOFF ${other}`]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a live move whose target dies in the middle is shown, and ends when that host is back",
    async run(cluster) {
      const { cloud } = besideOf(cluster);
      const [id = ""] = await boot(cluster, 1);
      await evict(cluster);
      await whileItMoves(cluster, other);
      await says(cluster, `nova-compute of ${other} has stopped in the middle. Start nova-compute of ${other}`);
      expect(await podOf(cluster)).toBeDefined();
      await cloud.under.control?.start(other);
      await isGone(cluster);
      expect(await whereabouts(cluster, [id])).toEqual([`ACTIVE ${other}`]);
    },
  },
  {
    title:
      "functions that die after each of their calls, to Kubernetes or OpenStack, move each server once all the same",
    async run(cluster) {
      const { cloud, wire } = besideOf(cluster);
      const ids = await boot(cluster, 1, 1);
      const seen = new Set<string>();
      const isFirst = (key: string) => seen.size < seen.add(key).size;
      // As if the process was killed: the call has its effect, and nothing comes after it.
      cluster.intercept(async ({ rule, request }, send) => {
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
      await evict(cluster);
      await isGone(cluster);
      wire.step = (_, send) => send();
      expect(seen.size).toBeGreaterThan(10);
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`, `SHUTOFF ${other}`]);
      expect((await cloud.nova().migrations(node)).map(({ server }) => server).toSorted()).toEqual([...ids].toSorted());
      expect([await locksOf(cluster), await podOf(cluster)]).toEqual([[], undefined]);
    },
  },
  {
    title: "confirmations that Nova refuses are asked for three times, and then a person's",
    async run(cluster) {
      const { cloud, standIn } = besideOf(cluster);
      const [off = ""] = await boot(cluster, 0, 1);
      let asked = 0;
      const act = standIn?.cloud.act;
      Object.assign(standIn?.cloud ?? {}, {
        act: (...[instance, action, argument]: Parameters<NonNullable<typeof act>>) => {
          if (action !== "confirmResize") return act?.(instance, action, argument);
          asked += 1;
          return { status: 409, message: "Service is unavailable at this time." };
        },
      });
      await evict(cluster);
      await swept(cluster, "a confirmation is refused", async () => asked > 0);
      await says(
        cluster,
        `times: see the Event OpenStackRefused. Remove the cause, and run \`openstack server resize confirm ${off}\`.`,
      );
      expect(asked).toBe(3);
      Object.assign(standIn?.cloud ?? {}, { act });
      await cloud.act(off, { confirmResize: null });
      await isGone(cluster);
      expect(await whereabouts(cluster, [off])).toEqual([`SHUTOFF ${other}`]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "nova-compute that a person has disabled is never enabled by Holdfast",
    async run(cluster) {
      const { cloud } = besideOf(cluster);
      const { id } = await serviceOf(cluster);
      await cloud.nova().disable(id, "a person's");
      await setState(cluster, "DisabledAndCleared");
      await approve(cluster);
      await isEvicted(cluster);
      await setState(cluster, "Enabled");
      await says(cluster, "disabled, but not by Holdfast");
      await nothingHappens(cluster);
      expect(await serviceOf(cluster)).toMatchObject({ isEnabled: false, disabledReason: "a person's" });
    },
  },
  {
    title: "pods of another operator come and go by the label of the Node that the spec names",
    async run(cluster) {
      await evict(cluster);
      await isGone(cluster);
      await besideOf(cluster).cloud.cleanUp();
      await create(cluster, { selector: { matchLabels: { app: "nova-compute" }, schedulingLabel } });
      await swept(cluster, "the compute node serves", async () => {
        await operate(cluster);
        return (await podOf(cluster, "nova-compute-x")) && (await conditionOf(cluster, "enabled")).startsWith("True");
      });
      const ids = await boot(cluster, 1);
      await evict(cluster);
      await swept(cluster, "the resource is gone", async () => {
        await operate(cluster);
        return !(await computeOf(cluster));
      });
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`]);
      expect([await podOf(cluster, "nova-compute-x"), await locksOf(cluster)]).toEqual([undefined, []]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a pod that has ended comes again, and a template that has changed is shown and changes no pod",
    async run(cluster) {
      const before = (await podOf(cluster))?.metadata.uid;
      const status = { phase: "Failed" };
      await cluster.admin.patch(Pod, namespace, computePod, "merge", { status }, { subresource: "status" });
      // In truth the sweep comes by within an hour.
      await annotate(cluster, { nudge: "" });
      const renewed = await swept(cluster, "there is another pod", async () => {
        const pod = await podOf(cluster);
        return pod && pod.metadata.uid !== before && pod;
      });
      const template = { metadata: { labels: { version: "2" } } };
      await cluster.admin.patch(NovaComputeNode, namespace, node, "merge", { spec: { template } });
      await says(cluster, /^True/, NovaComputeNode, "requiresRecreation");
      await nothingHappens(cluster);
      expect((await podOf(cluster))?.metadata.uid).toBe(renewed.metadata.uid);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a deletion in the foreground takes no pod before the servers have left",
    async run(cluster) {
      const ids = await boot(cluster, 1);
      expect(await dependents(cluster)).toEqual([]);
      await cluster.admin.delete(NovaComputeNode, namespace, node, { propagationPolicy: "Foreground" });
      await nothingHappens(cluster);
      expect(await podOf(cluster)).toBeDefined();
      await approve(cluster);
      await isGone(cluster);
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a pod of the right name that was made for another resource is named, and never deleted or counted",
    async run(cluster) {
      const uid = { metadata: { annotations: { "holdfast.dev/agent-uid": "another" } } };
      const before = (await podOf(cluster))?.metadata.uid;
      await cluster.admin.patch(Pod, namespace, computePod, "merge", uid);
      await evict(cluster);
      await isGone(cluster);
      expect((await podOf(cluster))?.metadata.uid).toBe(before);
      await create(cluster);
      await says(cluster, `kubectl delete pod -n ${namespace} ${computePod}`);
      await cluster.admin.delete(Pod, namespace, computePod, { gracePeriodSeconds: 0 });
      await serves(cluster);
      expect((await podOf(cluster))?.metadata.uid).not.toBe(before);
    },
    settings: [standInOpenStack],
  },
  {
    title: "only true agrees to an eviction",
    async run(cluster) {
      await setState(cluster, "DisabledAndCleared");
      for (const said of ["no", "False", ""]) {
        await annotate(cluster, { [approvalKey]: said });
        await nothingHappens(cluster);
        expect(await serviceOf(cluster)).toMatchObject({ isEnabled: true });
      }
      await approve(cluster);
      await isEvicted(cluster);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a pod that is lost while servers are on the host comes again, and lock and L2 agent stay meanwhile",
    async run(cluster) {
      const problems: string[] = [];
      watchOrder(cluster, problems);
      const { admin } = cluster;
      const ids = await boot(cluster, 1);
      const l2Agent = (await podOf(cluster, `neutronl2agent-${node}`))?.metadata.uid;
      await updateL2Agent(cluster);
      await swept(cluster, "the Node asks others to leave", async () => (await labelOf(cluster)) === "True");
      const renewed = (before: string | undefined) =>
        swept(cluster, "there is another pod", async () => {
          const uid = (await podOf(cluster))?.metadata.uid;
          return uid !== before && uid;
        });
      const first = (await podOf(cluster))?.metadata.uid;
      await admin.delete(Pod, namespace, computePod, { gracePeriodSeconds: 0 });
      await annotate(cluster, { nudge: "" });
      const second = await renewed(first);
      const status = { phase: "Failed" };
      await admin.patch(Pod, namespace, computePod, "merge", { status }, { subresource: "status" });
      await annotate(cluster, { nudge: "again" });
      await renewed(second);
      await nothingHappens(cluster);
      expect(await locksOf(cluster)).toEqual([lock]);
      expect((await podOf(cluster, `neutronl2agent-${node}`))?.metadata.uid).toBe(l2Agent);
      await approve(cluster);
      await l2PodIsNew(cluster, l2Agent);
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`]);
      expect(problems).toEqual([]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "while a move to the host is not over its pod stays, and the message names the server",
    async run(cluster) {
      const { cloud } = besideOf(cluster);
      const id = await cloud.boot(other);
      await cloud.act(id, { "os-migrateLive": { host: null, block_migration: "auto" } });
      await cloud.until("it is on its way", async () =>
        (await cloud.nova().migrations(other)).some(({ target, status }) => target === node && status === "running"),
      );
      // Its source dies: from then on Nova says for ever that the move runs.
      await cloud.under.control?.stop(other);
      await evict(cluster);
      await says(cluster, `Servers that are still being moved to ${node}: ${id}.`);
      await cloud.pass(60);
      await nothingHappens(cluster);
      expect(await podOf(cluster)).toBeDefined();
      await cloud.send("DELETE", `/servers/${id}`);
      await isGone(cluster);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a move to the host whose source died is over when its server was started elsewhere, and the host leaves",
    async run(cluster) {
      const { cloud, standIn } = besideOf(cluster);
      const id = await cloud.boot(other);
      const third = standIn?.cloud.hosts.get(other);
      if (third) standIn?.cloud.hosts.set("node-c", { ...third, id: "node-c", name: "node-c" });
      await cloud.act(id, { "os-migrateLive": { host: null, block_migration: "auto" } });
      const isUnderWay = async () =>
        (await cloud.nova().migrations(node)).some(({ target, status }) => target === node && status === "running");
      await cloud.until("it is on its way", isUnderWay);
      await cloud.under.control?.stop(other);
      await evict(cluster);
      await says(cluster, `Servers that are still being moved to ${node}: ${id}.`);
      await cloud.pass(60);
      expect((await cloud.act(id, { evacuate: {} })).status).toBe(200);
      await cloud.pass(30);
      await nothingHappens(cluster);
      expect(await whereabouts(cluster, [id])).toEqual(["ACTIVE node-c"]);
      expect([await isUnderWay(), (await podOf(cluster)) !== undefined]).toEqual([true, true]);
      await cloud.pass(600);
      await isGone(cluster);
      expect(await isUnderWay()).toBe(true);
    },
    settings: [standInOpenStack],
  },
  {
    title: "an uninstall leaves the finalizers of compute nodes and L2 agents, and waits for an eviction to end",
    async run(cluster) {
      const { admin: client, clock } = cluster;
      const rules = await loadRules(["eviction"]);
      const uninstalled = async (scope: Partial<UninstallScope>) => {
        const said: string[] = [];
        const tools = { client, clock, say: (sentence: string) => void said.push(sentence), mayGoOn: async () => true };
        const all = { systems: ["eviction"], rules, definitions: [], dryRun: false, leaveUnfinished: false, ...scope };
        await advanceUntilSettled(cluster, "the uninstall ends", uninstall(tools, all));
        return said.join("\n");
      };
      const said = await uninstalled({ dryRun: true });
      for (const plural of ["novacomputenodes", "neutronl2agents"])
        expect(said).toMatch(new RegExp(`stays on ${plural}, because they stand for`));
      await remove(cluster);
      await expect(uninstalled({})).rejects.toThrow(node);
      expect((await computeOf(cluster))?.metadata.finalizers).toEqual([computeFinalizer]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a compute node that is paused is left alone, and one that Yaook's own job evicts as well",
    async run(cluster) {
      const ids = await boot(cluster, 1);
      await annotate(cluster, { [pauseKey]: "" });
      await approve(cluster);
      await remove(cluster);
      await nothingHappens(cluster);
      expect(await serviceOf(cluster)).toMatchObject({ isEnabled: true });
      const labels = { app: "compute-evict" };
      const job = manifest(
        Pod,
        { name: `compute-evict-${node}-x1`, namespace, labels },
        { spec: { containers: [{ name: "evict", image: "evict" }], nodeName: "holdfast-bare-node" } },
      );
      await cluster.admin.create(Pod, job);
      await annotate(cluster, { [pauseKey]: null });
      await says(cluster, `The pod compute-evict-${node}-x1 of Yaook's own eviction runs`);
      expect(await serviceOf(cluster)).toMatchObject({ isEnabled: true });
      await cluster.admin.delete(Pod, namespace, job.metadata.name, { gracePeriodSeconds: 0 });
      await isGone(cluster);
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a lock of any name keeps the L2 agent, and no compute node comes while its label is not False",
    async run(cluster) {
      const lockOfOthers = "l2-lock.maintenance.yaook.cloud/octavia-manager";
      await cluster.admin.patch(Node, undefined, node, "merge", { metadata: { annotations: { [lockOfOthers]: "" } } });
      const before = (await podOf(cluster, `neutronl2agent-${node}`))?.metadata.uid;
      await updateL2Agent(cluster);
      await approve(cluster);
      await swept(cluster, "the compute node is off", async () => !(await podOf(cluster)));
      await swept(cluster, "its lock is off", async () => (await locksOf(cluster)).join() === "octavia-manager");
      await nothingHappens(cluster);
      expect((await podOf(cluster, `neutronl2agent-${node}`))?.metadata.uid).toBe(before);
      expect(await podOf(cluster)).toBeUndefined();
      await cluster.admin.patch(Node, undefined, node, "merge", {
        metadata: { annotations: { [lockOfOthers]: null } },
      });
      await serves(cluster);
      expect((await podOf(cluster, `neutronl2agent-${node}`))?.metadata.uid).not.toBe(before);
    },
  },
  {
    title: "a compute node that was restored without its status keeps its lock, and says so, while servers run",
    async run(cluster) {
      const { admin } = cluster;
      const ids = await boot(cluster, 1);
      const l2Agent = (await podOf(cluster, `neutronl2agent-${node}`))?.metadata.uid;
      await updateL2Agent(cluster);
      await swept(cluster, "the Node asks others to leave", async () => (await labelOf(cluster)) === "True");
      await remove(cluster);
      await admin.patch(NovaComputeNode, namespace, node, "merge", { metadata: { finalizers: null } });
      await admin.delete(Pod, namespace, computePod, { gracePeriodSeconds: 0 });
      await create(cluster);
      await nothingHappens(cluster);
      expect((await podOf(cluster, `neutronl2agent-${node}`))?.metadata.uid).toBe(l2Agent);
      expect(await locksOf(cluster)).toEqual([lock]);
      await says(cluster, "its servers leave the host when you agree");
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${node}`]);
      await approve(cluster);
      await serves(cluster);
      expect((await podOf(cluster, `neutronl2agent-${node}`))?.metadata.uid).not.toBe(l2Agent);
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`]);
    },
    settings: [standInOpenStack],
  },
  {
    title:
      "a resource that never served goes without a person, and keeps its lock if its host may have another name, too",
    async run(cluster) {
      const { admin } = cluster;
      const { standIn } = besideOf(cluster);
      const name = "node-x";
      const unlisted = NeutronOVNBGPAgent;
      const kinds = [NovaComputeNode, NeutronL3Agent, unlisted];
      const locks = Object.fromEntries(kinds.map(({ kind }) => [`${lockPrefix}${kind}`, ""]));
      const left = async () => locksOn((await admin.get(Node, undefined, name)) as KubernetesObject);
      const template = { spec: { containers: [{ name: "agent", image: "agent" }] } };
      await admin.create(Node, manifest(Node, { name, annotations: locks, labels: { [maintenanceLabel]: "True" } }));
      for (const kind of kinds) await create(cluster, { template }, kind, name);
      await swept(cluster, "one lock is left", async () => (await left()).length === 1);
      expect(await left()).toEqual([unlisted.kind]);
      await admin.patch(unlisted, namespace, name, "merge", { metadata: { annotations: { [approvalKey]: "true" } } });
      await swept(cluster, "no lock is left", async () => (await left()).length === 0);
      for (const kind of kinds) await admin.delete(kind, namespace, name);
      const isGone = (kind: Kind) => async () => !(await admin.get(kind, namespace, name));
      for (const kind of kinds) await swept(cluster, `the ${kind.kind} is gone`, isGone(kind));

      const host = standIn?.cloud.hosts.get(other);
      if (host) standIn?.cloud.hosts.set("node-x.dc", { ...host, id: "x", name: "node-x.dc" });
      await create(cluster, { template }, NovaComputeNode, name);
      await admin.patch(Node, undefined, name, "merge", { metadata: { annotations: locks } });
      await nothingHappens(cluster);
      await admin.delete(NovaComputeNode, namespace, name);
      await nothingHappens(cluster);
      expect(await left()).toContain(lock);
      const said = JSON.stringify((await admin.get(NovaComputeNode, namespace, name))?.status);
      expect(said).toContain("its servers leave the host when you agree");
      const annotations = { [approvalKey]: "true", [abandonKey]: name };
      await admin.patch(NovaComputeNode, namespace, name, "merge", { metadata: { annotations } });
      await swept(cluster, "it is gone", isGone(NovaComputeNode));
    },
    settings: [standInOpenStack],
  },
  {
    title: "a lock that two resources on the Node have goes with the last of them",
    async run(cluster) {
      const isL3Gone = await sharesLock(cluster);
      await evict(cluster);
      await isGone(cluster);
      await nothingHappens(cluster);
      expect([await locksOf(cluster), (await podOf(cluster, "l3-x")) !== undefined]).toEqual([[lock], true]);
      await evict(cluster, NeutronL3Agent);
      await isL3Gone();
      expect(await locksOf(cluster)).toEqual([]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "two resources with one lock that are deleted at once both go, and the lock with them",
    async run(cluster) {
      const isL3Gone = await sharesLock(cluster);
      await evict(cluster, NovaComputeNode, NeutronL3Agent);
      await isL3Gone();
      await isGone(cluster);
      expect(await locksOf(cluster)).toEqual([]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "moves that Nova loses while its message queue is down are asked for again, and need no person",
    async run(cluster) {
      const { cloud, wire, attempts } = besideOf(cluster);
      const ids = await boot(cluster, 1, 1);
      const calls: number[] = [];
      let isDown = true;
      wire.step = async (request, send) => {
        if (!isDown || !/migrate/i.test(request.body ?? "")) return send();
        calls.push(cluster.clock.now());
        throw new Error("socket hang up");
      };
      await evict(cluster);
      const isWarned = async () =>
        (await computeOf(cluster))?.metadata.annotations?.["holdfast.dev/eviction.move-servers"]?.includes('"stuck"');
      for (let minutes = 0; minutes < 20; minutes += 5) {
        await cloud.pass(300);
        await nothingHappens(cluster);
      }
      expect(calls.length).toBeGreaterThan(ids.length * attempts);
      const said = await says(cluster, /nothing about 2 servers \(\S+, \S+\)\. Holdfast has asked Nova since \S+Z/);
      expect(said).toContain("Look at nova-conductor, and at Nova's message queue");
      expect([(await counters(cluster)).unhandleable, await isWarned()]).toEqual([0, false]);
      for (let minutes = 0; minutes < 20; minutes += 5) {
        await cloud.pass(300);
        await nothingHappens(cluster);
      }
      expect(await isWarned()).toBe(true);
      isDown = false;
      await cloud.pass(300);
      const back = cluster.clock.now();
      await isGone(cluster);
      expect(cluster.clock.now() - back).toBeLessThan(300_000);
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`, `SHUTOFF ${other}`]);
      expect((await cloud.nova().migrations(node)).map(({ server }) => server).toSorted()).toEqual([...ids].toSorted());
    },
    settings: [standInOpenStack],
  },
  {
    title: "a server that Nova shows as MIGRATING before its queue has the call is named soon, and leaves when it has",
    async run(cluster) {
      const { standIn } = besideOf(cluster);
      const [id = ""] = await boot(cluster, 1);
      const act = standIn?.cloud.act;
      let arrives: (() => unknown) | undefined;
      Object.assign(standIn?.cloud ?? {}, {
        act: (...[instance, action, argument]: Parameters<NonNullable<typeof act>>) => {
          if (action !== "os-migrateLive") return act?.(instance, action, argument);
          Object.assign(instance, { status: "MIGRATING", task: "migrating", updated: cluster.clock.now() });
          arrives = () => act?.(Object.assign(instance, { status: "ACTIVE", task: null }), action, argument);
          return { status: 202 };
        },
      });
      await evict(cluster);
      await swept(cluster, "it is asked", async () => arrives !== undefined);
      expect(await conditionOf(cluster, "converged")).not.toContain("done nothing");
      const asked = cluster.clock.now();
      await says(cluster, `Nova has done nothing about 1 server (${id})`);
      expect(cluster.clock.now() - asked).toBeLessThan(400_000);
      expect(await counters(cluster)).toMatchObject({ in_progress: 1, unhandleable: 0 });
      arrives?.();
      await isGone(cluster);
      expect(await whereabouts(cluster, [id])).toEqual([`ACTIVE ${other}`]);
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
  async run(cluster) {
    await serving(cluster);
    try {
      await scenario.run(cluster);
    } finally {
      await cleared(cluster);
    }
  },
}));
