import { expect } from "vitest";
import { NeutronL2Agent, NeutronL3Agent, NovaComputeNode } from "../../../functions/eviction/lib/kinds.ts";
import { abandonKey, approvalKey, fencedKey, recordKey } from "../../../functions/eviction/lib/names.ts";
import { l3 } from "../../../functions/eviction/lib/openstack/neutron.ts";
import { Event, Node } from "../../../shared/kubernetes/kind.ts";
import { apiFailure } from "../../harness/api-failure.ts";
import type { Cluster } from "../../harness/cluster.ts";
import { eventsOn, type RecordedEvent } from "../recorded-events.ts";
import type { Scenario } from "../scenario.ts";
import {
  agentPod,
  annotate,
  approve,
  boot,
  computeOf,
  conditionOf,
  counters,
  create,
  createAgent,
  delaysFirst,
  evict,
  isEvicted,
  isGone,
  l2PodIsNew,
  locksOf,
  namespace,
  node,
  nothingHappens,
  operate,
  other,
  podOf,
  says,
  schedulingLabel,
  serve,
  serves,
  serviceOf,
  setState,
  swept,
  updateL2Agent,
  whereabouts,
  whileItMoves,
} from "./helpers.ts";
import { besideOf, standInOpenStack } from "./settings.ts";

/** From now on the Node says that it is not Ready, to every function. Returns how to have it Ready again. */
function losesNode(cluster: Cluster): () => void {
  let isLost = true;
  const lastTransitionTime = new Date(cluster.clock.now()).toISOString();
  cluster.intercept(async ({ request }, send) => {
    const response = await send();
    if (!isLost || request.method !== "GET" || !request.path.split("?")[0]?.endsWith(`/nodes/${node}`)) return response;
    let text = "";
    for await (const chunk of response.body) text += chunk;
    const live = JSON.parse(text);
    live.status = { ...live.status, conditions: [{ type: "Ready", status: "Unknown", lastTransitionTime }] };
    const body = (async function* () {
      yield JSON.stringify(live);
    })();
    return { status: response.status, headers: response.headers, body };
  }, "everywhere");
  return () => {
    isLost = false;
  };
}

/** The host loses power: neither its nova-compute nor its kubelet reports. */
export async function losesHost(cluster: Cluster): Promise<() => void> {
  const { cloud } = besideOf(cluster);
  const back = losesNode(cluster);
  await cloud.under.control?.stop(node);
  await cloud.until("nova-compute is down", async () => (await cloud.nova().service(node))?.state === "down", 120);
  return back;
}

/** In place of the compute node there is one whose pods another operator keeps. */
async function selected(cluster: Cluster): Promise<void> {
  await evict(cluster);
  await isGone(cluster);
  await besideOf(cluster).cloud.cleanUp();
  await create(cluster, { selector: { matchLabels: { app: "nova-compute" }, schedulingLabel } });
  await swept(cluster, "the compute node serves", async () => {
    await operate(cluster);
    return (await conditionOf(cluster, "enabled")).startsWith("True");
  });
}

/** A person answers for the host, as the message asks. */
export async function confirmFenced(cluster: Cluster): Promise<void> {
  const message = await says(cluster, fencedKey);
  const value = new RegExp(`${fencedKey}=([^\`\\s]+)`).exec(message)?.[1] ?? "";
  await annotate(cluster, { [fencedKey]: value });
}

export const evacuations = async (cluster: Cluster, server?: string) =>
  (await besideOf(cluster).cloud.nova().migrations(node)).filter(
    (move) => move.type === "evacuation" && (!server || move.server === server),
  );
const instanceOf = (cluster: Cluster, id: string) => besideOf(cluster).standIn?.cloud.instances.get(id);
const withIronic = (cluster: Cluster) =>
  cluster.admin.patch(NovaComputeNode, namespace, node, "merge", {
    spec: { eviction: { ironicNodeShutdown: { node } } },
  });
/** Every evacuation that Nova has been asked for, as `server power`, where the power is that of the host. */
function watchEvacuations(cluster: Cluster): string[] {
  const asked: string[] = [];
  const { standIn } = besideOf(cluster);
  const act = standIn?.cloud.act;
  Object.assign(standIn?.cloud ?? {}, {
    act: (...[instance, action, argument]: Parameters<NonNullable<typeof act>>) => {
      if (action === "evacuate") asked.push(`${instance.id} ${standIn?.cloud.hosts.get(node)?.power}`);
      return act?.(instance, action, argument);
    },
  });
  return asked;
}

/** What the document says of a node that is unreachable, and what goes wrong on the way. */
export const outages: readonly Scenario[] = [
  {
    title:
      "a node that is unreachable is evicted hard: forced down, each server started elsewhere once, the pod deleted",
    async run(cluster) {
      const { cloud } = besideOf(cluster);
      const ids = await boot(cluster, 2, 1);
      const [broken = ""] = await boot(cluster, 1);
      await cloud.act(broken, { "os-resetState": { state: "error" } });
      await losesHost(cluster);
      await evict(cluster);
      await says(cluster, / met: .* met: .* not met: both of these must have held/);
      expect(await conditionOf(cluster, "hostDown")).toMatch(/^False NotProven/);
      await says(cluster, "Power it off, make sure that it stays off");
      expect(await conditionOf(cluster, "hostDown")).toMatch(/^True NotFenced:.*( met: [^;]+;){4} met: .*1 of 2 are/);
      await nothingHappens(cluster);
      expect([await evacuations(cluster), (await serviceOf(cluster)).isForcedDown]).toEqual([[], false]);
      await confirmFenced(cluster);
      await swept(cluster, "nova-compute is forced down", async () => (await serviceOf(cluster)).isForcedDown);
      await swept(cluster, "the pod goes at the same time", async () => !(await podOf(cluster)));
      await isGone(cluster);
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`, `ACTIVE ${other}`, `SHUTOFF ${other}`]);
      expect(await whereabouts(cluster, [broken])).toEqual([`ERROR ${other}`]);
      expect((await evacuations(cluster)).map(({ server }) => server).toSorted()).toEqual([...ids, broken].toSorted());
      expect(await locksOf(cluster)).toEqual([]);
      expect(await serviceOf(cluster)).toMatchObject({ isEnabled: false, isForcedDown: true });
    },
  },
  {
    title: "a server that its owner starts after its evacuation runs on, although it was off before",
    async run(cluster) {
      const { cloud } = besideOf(cluster);
      const [id = ""] = await boot(cluster, 0, 1);
      await losesHost(cluster);
      await setState(cluster, "DisabledAndCleared");
      await approve(cluster);
      await confirmFenced(cluster);
      await isEvicted(cluster);
      expect(await whereabouts(cluster, [id])).toEqual([`SHUTOFF ${other}`]);
      // The stand-in has no other way to start it.
      await cloud.act(id, { "os-resetState": { state: "active" } });
      await annotate(cluster, { nudge: "" });
      await nothingHappens(cluster);
      expect(await whereabouts(cluster, [id])).toEqual([`ACTIVE ${other}`]);
    },
    settings: [standInOpenStack],
  },
  {
    title:
      "servers that cannot be put back to what they were after their evacuation hold nothing, and one is warned of",
    async run(cluster) {
      const { cloud, wire } = besideOf(cluster);
      const [broken = "", off = ""] = await boot(cluster, 1, 1);
      await cloud.act(broken, { "os-resetState": { state: "error" } });
      await losesHost(cluster);
      // The owner of one turns it off before the call comes, and the other fails on its new host.
      wire.step = async (request, send) => {
        if (!request.body?.includes("os-resetState")) return send();
        Object.assign(instanceOf(cluster, broken) ?? {}, { status: "SHUTOFF" });
        throw new Error("socket hang up");
      };
      const failing = instanceOf(cluster, off);
      let status = "SHUTOFF";
      Object.defineProperty(failing, "status", {
        get: () => (failing?.host === other ? "ERROR" : status),
        set: (to) => {
          status = to;
        },
      });
      await evict(cluster);
      await confirmFenced(cluster);
      await isGone(cluster);
      expect(await whereabouts(cluster, [broken, off])).toEqual([`SHUTOFF ${other}`, `ERROR ${other}`]);
      const events = await eventsOn({ ...cluster, namespace }, "NovaComputeNode", node);
      expect(events.filter(({ reason }) => reason === "ServerLeftInError")).toMatchObject([
        { type: "Warning", note: expect.stringContaining(`Server ${off} was SHUTOFF before its evacuation`) },
      ]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "with ironicNodeShutdown the node gets shut down, and no server is evacuated before it is seen to be off",
    async run(cluster) {
      const asked = watchEvacuations(cluster);
      const { standIn } = besideOf(cluster);
      await withIronic(cluster);
      const ids = await boot(cluster, 2);
      await losesHost(cluster);
      await evict(cluster);
      await swept(cluster, "it is turned off", async () => standIn?.cloud.hosts.get(node)?.power === "power off");
      // Where Ironic cannot be asked, the host may be on again.
      standIn?.stop("ironic");
      await says(cluster, "waits for OpenStack, which has been away since");
      const { length } = asked;
      await nothingHappens(cluster);
      expect(asked).toHaveLength(length);
      standIn?.start();
      await isGone(cluster);
      expect(asked.toSorted()).toEqual(ids.map((id) => `${id} power off`).toSorted());
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`, `ACTIVE ${other}`]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a machine that two hosts name by mistake is turned off only when one of them names it",
    async run(cluster) {
      const { standIn } = besideOf(cluster);
      const asked = watchEvacuations(cluster);
      const { admin } = cluster;
      await withIronic(cluster);
      const ids = await boot(cluster, 1);
      const template = { spec: { containers: [{ name: "agent", image: "agent" }] } };
      await create(cluster, { template, eviction: { ironicNodeShutdown: { node } } }, NovaComputeNode, other);
      await losesHost(cluster);
      await evict(cluster);
      await says(cluster, `NovaComputeNode ${other} names the machine ${node}, too`);
      await nothingHappens(cluster);
      expect([asked, standIn?.cloud.hosts.get(node)?.power]).toEqual([[], "power on"]);
      await admin.patch(NovaComputeNode, namespace, other, "merge", { spec: { eviction: null } });
      await isGone(cluster);
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`]);
    },
    settings: [standInOpenStack],
  },
  {
    title:
      "a machine that Ironic shows as off, as it was long ago, counts as off only when Ironic agrees to turn it off",
    async run(cluster) {
      const { standIn, wire } = besideOf(cluster);
      const asked: string[] = [];
      wire.step = async ({ method, path, body = "" }, send) => {
        if (body.includes("evacuate")) asked.push("evacuate");
        if (method !== "PUT" || !path.endsWith("/states/power")) return send();
        // Another task of Ironic has the machine at first.
        if (asked.push("power off") > 1) return send();
        return { status: 409, headers: {}, body: JSON.stringify({ error_message: { faultstring: "locked" } }) };
      };
      await withIronic(cluster);
      const ids = await boot(cluster, 1);
      await losesHost(cluster);
      // In maintenance, Ironic does not look at a machine.
      Object.assign(standIn?.cloud.hosts.get(node) ?? {}, { power: "power off" });
      await evict(cluster);
      await isGone(cluster);
      expect(asked).toEqual(["power off", "power off", "evacuate"]);
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "each function whose change a policy refuses says so on the object, and all comes to its end after that",
    async run(cluster) {
      const refused = new Set<string>();
      cluster.intercept(async ({ rule, request: { method, path } }, send) => {
        const isOther = !rule.startsWith("eviction/") || method === "GET" || path.includes("/events");
        if (isOther || refused.has(rule)) return send();
        refused.add(rule);
        return apiFailure(403, "Forbidden", {}, "ValidatingAdmissionPolicy 'p' denied request: no");
      }, "everywhere");
      await createAgent(cluster, NeutronL3Agent);
      await serve(cluster, l3);
      await boot(cluster, 1);
      const before = (await podOf(cluster, agentPod(NeutronL2Agent)))?.metadata.uid;
      await updateL2Agent(cluster);
      for (const kind of [NovaComputeNode, NeutronL3Agent]) {
        await says(cluster, "when you agree", kind);
        await approve(cluster, kind);
      }
      await l2PodIsNew(cluster, before);
      for (const kind of [NovaComputeNode, NeutronL3Agent]) await serves(cluster, kind);
      const ids = await boot(cluster, 1);
      await withIronic(cluster);
      await losesHost(cluster);
      await evict(cluster);
      await isGone(cluster);
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`]);
      expect(refused.size).toBeGreaterThanOrEqual(15);
      const events = await Array.fromAsync(
        cluster.admin.list<RecordedEvent & { reportingInstance: string }>(Event, {}),
      );
      const saying = events.filter(({ reason }) => reason === "KubernetesRefused");
      expect(saying.map(({ reportingInstance }) => reportingInstance).toSorted()).toEqual([...refused].toSorted());
      for (const { note } of saying) expect(note).toContain("ValidatingAdmissionPolicy 'p' denied request: no");
    },
    settings: [standInOpenStack],
  },
  ...(["Nova", "Kubernetes"] as const).map(
    (witness): Scenario => ({
      title: `a host that is down by the word of ${witness} alone is disabled, and neither turned off nor evacuated`,
      async run(cluster) {
        const { cloud, standIn } = besideOf(cluster);
        const asked = watchEvacuations(cluster);
        await withIronic(cluster);
        const ids = await boot(cluster, 1);
        if (witness === "Nova") await cloud.under.control?.stop(node);
        const back = witness === "Kubernetes" ? losesNode(cluster) : () => {};
        if (witness === "Nova")
          await cloud.until("it is down", async () => (await cloud.nova().service(node))?.state === "down", 120);
        await evict(cluster);
        if (witness === "Nova") {
          await says(cluster, /not met: Node \S+ must not be Ready \(it has been Ready/);
          await nothingHappens(cluster);
          expect([asked, standIn?.cloud.hosts.get(node)?.power]).toEqual([[], "power on"]);
          expect(await serviceOf(cluster)).toMatchObject({ isEnabled: false, isForcedDown: false });
          await cloud.under.control?.start(node);
        }
        await isGone(cluster);
        back();
        expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`]);
        expect(standIn?.cloud.hosts.get(node)?.power).toBe("power on");
      },
      settings: [standInOpenStack],
    }),
  ),
  {
    title: "while no scheduler is up, or most computes do not report, a host is not taken for down",
    async run(cluster) {
      const { cloud, standIn } = besideOf(cluster);
      await withIronic(cluster);
      await boot(cluster, 1);
      if (standIn) standIn.cloud.schedulers.isUp = false;
      await losesHost(cluster);
      await cloud.under.control?.stop(other);
      await evict(cluster);
      await says(
        cluster,
        /; met: both of these .*; not met: a nova-scheduler must be up .*; not met: at most .* \(2 of 2 are\)/,
      );
      await nothingHappens(cluster);
      expect(standIn?.cloud.hosts.get(node)?.power).toBe("power on");
      if (standIn) standIn.cloud.schedulers.isUp = true;
      await cloud.under.control?.start(other);
      await isGone(cluster);
    },
    settings: [standInOpenStack],
  },
  {
    title: "an eviction that is called off after servers were evacuated holds the host down until they are settled",
    async run(cluster) {
      const { cloud } = besideOf(cluster);
      const ids = await boot(cluster, 2);
      const back = await losesHost(cluster);
      await setState(cluster, "DisabledAndCleared");
      await approve(cluster);
      await confirmFenced(cluster);
      await swept(cluster, "a server is evacuated", async () => (await evacuations(cluster)).length > 0);
      await setState(cluster, "Enabled");
      expect((await serviceOf(cluster)).isForcedDown).toBe(true);
      await says(cluster, "Their migrations in Nova, now done, are completed then.");
      const { id } = await serviceOf(cluster);
      await expect(cloud.nova().endForcedDown(id)).rejects.toThrow("Unable to force up host");
      back();
      await cloud.under.control?.start(node);
      await says(cluster, /^True/);
      expect(await serviceOf(cluster)).toMatchObject({ isEnabled: true, isForcedDown: false, state: "up" });
      const { length } = await evacuations(cluster);
      await nothingHappens(cluster);
      expect(await evacuations(cluster)).toHaveLength(length);
      expect((await whereabouts(cluster, ids)).filter((each) => !each.startsWith("ACTIVE "))).toEqual([]);
      expect((await computeOf(cluster))?.metadata.annotations?.[fencedKey]).toBeUndefined();
      expect((await computeOf(cluster))?.metadata.annotations?.[approvalKey]).toBeUndefined();
    },
  },
  {
    title: "a host that was forced down, and that Nova no longer knows, says so, and serves when it is created again",
    async run(cluster) {
      const beside = besideOf(cluster);
      await boot(cluster, 1);
      const back = await losesHost(cluster);
      await setState(cluster, "DisabledAndCleared");
      await approve(cluster);
      await confirmFenced(cluster);
      await swept(cluster, "its pod is deleted", async () => !(await podOf(cluster)));
      const none = { body: JSON.stringify({ services: [] }) };
      beside.tamper = (_, { path }) => (path.startsWith("/os-services") ? none : undefined);
      await setState(cluster, "Enabled");
      back();
      await says(cluster, "Nova no longer knows nova-compute");
      await nothingHappens(cluster);
      expect(await podOf(cluster)).toBeUndefined();
      await evict(cluster);
      await says(cluster, `${abandonKey}=${node}`);
      await annotate(cluster, { [abandonKey]: node });
      await isGone(cluster);
      delete beside.tamper;
      await create(cluster);
      await swept(cluster, "its pod is created", async () => podOf(cluster));
      await beside.cloud.under.control?.start(node);
      await serves(cluster);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a host that a late call disables after its agreement was removed is enabled again ten minutes later",
    async run(cluster) {
      const { cloud } = besideOf(cluster);
      const isLate = delaysFirst(cluster, '"disabled"');
      await setState(cluster, "DisabledAndCleared");
      await approve(cluster);
      await swept(cluster, "the call is given up", isLate);
      await annotate(cluster, { [approvalKey]: null });
      await says(cluster, "when you agree");
      await cloud.pass(500);
      expect((await serviceOf(cluster)).isEnabled).toBe(false);
      await nothingHappens(cluster);
      await says(cluster, "when you agree");
      await cloud.pass(110);
      await swept(cluster, "it is enabled again", async () => (await serviceOf(cluster)).isEnabled);
      await cloud.pass(310);
      await nothingHappens(cluster);
      await says(cluster, "when you agree");
      expect((await computeOf(cluster))?.metadata.annotations).not.toHaveProperty([
        "holdfast.dev/eviction.enable-compute",
      ]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a host that a late call disables after its eviction was called off is enabled again ten minutes later",
    async run(cluster) {
      const { cloud } = besideOf(cluster);
      const isLate = delaysFirst(cluster, '"disabled"');
      await setState(cluster, "Disabled");
      await swept(cluster, "the call is given up", isLate);
      await setState(cluster, "Enabled");
      await swept(cluster, "it serves", async () => (await conditionOf(cluster, "converged")).startsWith("True"));
      await cloud.pass(500);
      expect((await serviceOf(cluster)).isEnabled).toBe(false);
      await nothingHappens(cluster);
      await cloud.pass(110);
      await swept(cluster, "it is enabled again", async () => (await serviceOf(cluster)).isEnabled);
      for (const seconds of [310, 310]) await cloud.pass(seconds);
      await nothingHappens(cluster);
      expect((await computeOf(cluster))?.metadata.annotations).not.toHaveProperty([
        "holdfast.dev/eviction.enable-compute",
      ]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a host that a late call forces down, when it is only disabled by then, is let back and stays disabled",
    async run(cluster) {
      const { cloud, wire } = besideOf(cluster);
      const ids = await boot(cluster, 1);
      const back = await losesHost(cluster);
      await setState(cluster, "DisabledAndCleared");
      await approve(cluster);
      let isLate = false;
      wire.step = async (request, send) => {
        if (request.method !== "PUT" || !request.body?.includes('"forced_down":true')) return send();
        if (!isLate) void cluster.clock.sleep(400_000).then(send);
        isLate = true;
        throw new Error("socket hang up");
      };
      await confirmFenced(cluster);
      await swept(cluster, "the call is given up", async () => isLate);
      await setState(cluster, "Disabled");
      back();
      await cloud.under.control?.start(node);
      await swept(cluster, "it is forced down", async () => (await serviceOf(cluster)).isForcedDown);
      await swept(cluster, "it is let back", async () => !(await serviceOf(cluster)).isForcedDown);
      await says(cluster, "True Success: nova-compute is disabled.");
      expect(await serviceOf(cluster)).toMatchObject({ isEnabled: false, isForcedDown: false });
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${node}`]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a live move whose host dies in the middle is left to a person, who starts the server elsewhere, once",
    async run(cluster) {
      const { cloud } = besideOf(cluster);
      const [id = ""] = await boot(cluster, 1);
      await setState(cluster, "DisabledAndCleared");
      await approve(cluster);
      await whileItMoves(cluster, node);
      await losesHost(cluster);
      await confirmFenced(cluster);
      await says(cluster, `Server ${id}: It was being moved to ${other} when its host went down`);
      await nothingHappens(cluster);
      expect(await evacuations(cluster)).toEqual([]);
      expect((await cloud.act(id, { evacuate: {} })).status).toBe(200);
      await isEvicted(cluster);
      expect(await whereabouts(cluster, [id])).toEqual([`ACTIVE ${other}`]);
      expect(await evacuations(cluster)).toHaveLength(1);
    },
  },
  ...(["at once", "minutes later", "minutes later, after a person's live move has failed"] as const).map(
    (fate): Scenario => ({
      title: `an evacuation whose answer is lost, carried out ${fate}, is not asked for twice`,
      async run(cluster) {
        const isLate = fate !== "at once";
        const { cloud, wire } = besideOf(cluster);
        const ids = await boot(cluster, 1);
        await losesHost(cluster);
        let isOver = false;
        wire.step = async (request, send) => {
          if (isOver || !request.body?.includes("evacuate")) return send();
          isOver = true;
          if (isLate) void cluster.clock.sleep(300_000).then(send);
          else await send();
          throw new Error("socket hang up");
        };
        await evict(cluster);
        await confirmFenced(cluster);
        await swept(cluster, "the answer is lost", async () => isOver);
        if (isLate) {
          // Nova takes it, and it fails within seconds.
          if (fate !== "minutes later") await cloud.act(ids[0] ?? "", { "os-migrateLive": { host: null } });
          await cloud.pass(60);
          await nothingHappens(cluster);
          expect(await evacuations(cluster)).toEqual([]);
          await cloud.pass(240);
        }
        await isGone(cluster);
        expect(await evacuations(cluster)).toHaveLength(1);
        expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`]);
      },
      ...(fate === "at once" ? {} : { settings: [standInOpenStack] }),
    }),
  ),
  {
    title: "an evacuation that fails is tried again soon, because Nova has answered the call before it",
    async run(cluster) {
      const { cloud } = besideOf(cluster);
      const ids = await boot(cluster, 1);
      await losesHost(cluster);
      const { id } = (await cloud.nova().service(other)) ?? { id: "" };
      await cloud.nova().disable(id, "a person's");
      await evict(cluster);
      await confirmFenced(cluster);
      await swept(cluster, "it has failed", async () => (await evacuations(cluster))[0]?.status === "error");
      await cloud.nova().enable(id);
      const failed = await cloud.nova().now();
      await isGone(cluster);
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`]);
      expect((await cloud.nova().now()) - failed).toBeLessThan(180_000);
      expect((await evacuations(cluster)).map(({ status }) => status).toSorted()).toEqual(["done", "error"]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a server of a dead host is evacuated soon, although Nova is away right before it is asked to",
    async run(cluster) {
      const { wire } = besideOf(cluster);
      const ids = await boot(cluster, 2);
      await losesHost(cluster);
      let lost = 0;
      let requests = 0;
      wire.step = async (request, send) => {
        requests++;
        // Of one server only the look right before the call asks: what a host has is listed.
        if (lost >= 4 || request.method !== "GET" || !/\/servers\/[^/?]+$/.test(request.path)) return send();
        lost++;
        throw new Error("socket hang up");
      };
      await evict(cluster);
      await confirmFenced(cluster);
      const evacuated = async () => (await evacuations(cluster)).length;
      await swept(cluster, "Nova is away right before a call", async () => lost > 0);
      const before = [cluster.clock.now(), requests] as const;
      await swept(cluster, "a server is evacuated", async () => (await evacuated()) > 0);
      expect(cluster.clock.now() - before[0]).toBeLessThan(300_000);
      expect(requests - before[1]).toBeLessThan(150);
      await isGone(cluster);
      expect(await evacuated()).toBe(2);
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`, `ACTIVE ${other}`]);
    },
    settings: [standInOpenStack],
  },
  ...(["turned off", "forced down", "evacuated"] as const).map(
    (fate): Scenario => ({
      title: `a host whose Node is Ready again when the call has been noted, and not yet sent, is not ${fate}`,
      async run(cluster) {
        const asked = watchEvacuations(cluster);
        const { standIn } = besideOf(cluster);
        if (fate === "turned off") await withIronic(cluster);
        const [id = ""] = await boot(cluster, 1);
        const back = await losesHost(cluster);
        let isNoted = false;
        cluster.intercept(async ({ request: { method, body = "" } }, send) => {
          const response = await send();
          const note = { "turned off": "shutdown", "forced down": "hard", evacuated: "was" }[fate];
          if (method !== "PATCH" || !body.includes(String.raw`\"${note}\"`)) return response;
          isNoted = true;
          back();
          return response;
        }, "everywhere");
        await evict(cluster);
        if (fate !== "turned off") await confirmFenced(cluster);
        await swept(cluster, "the call is noted", async () => isNoted);
        await nothingHappens(cluster);
        expect([asked, standIn?.cloud.hosts.get(node)?.power]).toEqual([[], "power on"]);
        expect((await serviceOf(cluster)).isForcedDown).toBe(fate === "evacuated");
        expect(await whereabouts(cluster, [id])).toEqual([`ACTIVE ${node}`]);
      },
      settings: [standInOpenStack],
    }),
  ),
  {
    title: "a host that is turned on again in the middle of its evacuation is left alone until a person decides",
    async run(cluster) {
      const asked = watchEvacuations(cluster);
      const { standIn } = besideOf(cluster);
      await withIronic(cluster);
      const [first = "", second = ""] = await boot(cluster, 2);
      // One at a time, and the second one rests.
      Object.assign(instanceOf(cluster, second) ?? {}, { task: "deleting" });
      const back = await losesHost(cluster);
      await evict(cluster);
      await swept(cluster, "the first is elsewhere", async () =>
        (await whereabouts(cluster, [first]))[0]?.endsWith(other),
      );
      standIn?.cloud.powerOn(node);
      back();
      Object.assign(instanceOf(cluster, second) ?? {}, { task: null });
      await says(cluster, /only while it is certain that the host is off\. Node \S+ is Ready/);
      await nothingHappens(cluster);
      expect(asked.map((each) => each.split(" ")[0])).toEqual([first]);
      expect(standIn?.cloud.hosts.get(node)?.power).toBe("power on");
      await annotate(cluster, { [approvalKey]: null });
      await standIn?.cloud.run(node, true);
      await swept(cluster, "nova-compute serves again", async () => (await serviceOf(cluster)).isEnabled);
      await approve(cluster);
      await isGone(cluster);
      expect(await whereabouts(cluster, [first, second])).toEqual([`ACTIVE ${other}`, `ACTIVE ${other}`]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a host whose Node was Ready in the middle of its evacuation is off only when a person says so once more",
    async run(cluster) {
      const asked = watchEvacuations(cluster);
      const { cloud } = besideOf(cluster);
      const [first = "", second = ""] = await boot(cluster, 2);
      Object.assign(instanceOf(cluster, second) ?? {}, { task: "deleting" });
      const back = await losesHost(cluster);
      await evict(cluster);
      await confirmFenced(cluster);
      await swept(cluster, "the first is elsewhere", async () =>
        (await whereabouts(cluster, [first]))[0]?.endsWith(other),
      );
      // No function looks in between.
      await cloud.pass(60);
      back();
      losesNode(cluster);
      Object.assign(instanceOf(cluster, second) ?? {}, { task: null });
      await says(
        cluster,
        /certain that the host is off\. You have not confirmed this outage yet.* To go on, power it off, make sure/,
      );
      await nothingHappens(cluster);
      expect(asked.map((each) => each.split(" ")[0])).toEqual([first]);
      await confirmFenced(cluster);
      await isGone(cluster);
      expect(await whereabouts(cluster, [first, second])).toEqual([`ACTIVE ${other}`, `ACTIVE ${other}`]);
      expect(asked).toHaveLength(2);
    },
    settings: [standInOpenStack],
  },
  {
    title: "another operator's nova-compute cannot start on its Node when the host is turned on in its evacuation",
    async run(cluster) {
      const { cloud } = besideOf(cluster);
      await selected(cluster);
      const ids = await boot(cluster, 2);
      await losesHost(cluster);
      await evict(cluster);
      await confirmFenced(cluster);
      await says(cluster, "Holdfast evacuates the servers when these pods are being deleted: nova-compute-x");
      const { labels } = (await cluster.admin.get(Node, undefined, node))?.metadata ?? {};
      expect(labels?.[schedulingLabel.key]).toBeUndefined();
      await cloud.pass(60);
      await nothingHappens(cluster);
      expect(await evacuations(cluster)).toEqual([]);
      await operate(cluster);
      await isGone(cluster);
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`, `ACTIVE ${other}`]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a Nova that forbids to force a host down is asked again without writes, and its Node keeps its label",
    async run(cluster) {
      const beside = besideOf(cluster);
      await selected(cluster);
      const ids = await boot(cluster, 1);
      await losesHost(cluster);
      let asked = 0;
      beside.tamper = (_, { method, body }) => {
        if (method !== "PUT" || !body?.includes('"forced_down":true')) return undefined;
        asked++;
        return { status: 403, body: JSON.stringify({ forbidden: { message: "Policy does not allow it." } }) };
      };
      const written: string[] = [];
      cluster.intercept(async ({ rule, request }, send) => {
        const { method, path, body = "" } = request;
        const isOfNode = path.includes("/nodes/") && body.includes(schedulingLabel.key);
        if (method === "PATCH" && rule.startsWith("eviction/") && (isOfNode || body.includes(recordKey)))
          written.push(`${rule} ${path}`);
        return send();
      }, "everywhere");
      await evict(cluster);
      await confirmFenced(cluster);
      await says(cluster, /Since 20\S+, OpenStack has refused to force nova-compute of \S+ down: .*OpenStackRefused/);
      const before = [asked, written.length] as const;
      for (let minute = 0; minute < 10; minute++) {
        await beside.cloud.pass(60);
        await nothingHappens(cluster);
      }
      expect(asked).toBeGreaterThan(before[0]);
      expect(written.slice(before[1])).toEqual([]);
      const { labels } = (await cluster.admin.get(Node, undefined, node))?.metadata ?? {};
      expect(labels?.[schedulingLabel.key]).toBe(schedulingLabel.value);
      Object.assign(beside, { tamper: undefined });
      await swept(cluster, "the host is forced down", async () => (await serviceOf(cluster)).isForcedDown);
      await swept(cluster, "the label goes", async () => {
        const live = await cluster.admin.get(Node, undefined, node);
        return live?.metadata.labels?.[schedulingLabel.key] === undefined;
      });
      await operate(cluster);
      await isGone(cluster);
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "another operator's nova-compute comes back when a hard eviction is called off, and serves what is left",
    async run(cluster) {
      const { cloud } = besideOf(cluster);
      await selected(cluster);
      const [first = "", second = ""] = await boot(cluster, 2);
      Object.assign(instanceOf(cluster, second) ?? {}, { task: "deleting" });
      const back = await losesHost(cluster);
      await evict(cluster);
      await confirmFenced(cluster);
      await swept(cluster, "the first is elsewhere", async () => {
        await operate(cluster);
        return (await whereabouts(cluster, [first]))[0]?.endsWith(other);
      });
      Object.assign(instanceOf(cluster, second) ?? {}, { task: null });
      await annotate(cluster, { [approvalKey]: null });
      back();
      await swept(cluster, "nova-compute serves again", async () => {
        await operate(cluster);
        if (await podOf(cluster, "nova-compute-x")) await cloud.under.control?.start(node);
        return (await serviceOf(cluster)).isEnabled;
      });
      expect(await whereabouts(cluster, [first, second])).toEqual([`ACTIVE ${other}`, `ACTIVE ${node}`]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a change that a person makes of a host in the middle of its evacuation is answered for once more",
    async run(cluster) {
      const { cloud } = besideOf(cluster);
      const ids = await boot(cluster, 1);
      await losesHost(cluster);
      await evict(cluster);
      await confirmFenced(cluster);
      await swept(cluster, "nova-compute is seen to be forced down", async () =>
        (await computeOf(cluster))?.metadata.annotations?.[recordKey]?.includes('"forced"'),
      );
      await cloud.pass(1);
      await cloud.nova().disable((await serviceOf(cluster)).id, "a person's");
      await says(
        cluster,
        /At \S+, nova-compute of \S+ reported, or was changed in Nova.* To call the eviction off, run `kubectl/,
      );
      await cloud.pass(60);
      await nothingHappens(cluster);
      expect(await evacuations(cluster)).toEqual([]);
      await confirmFenced(cluster);
      await isGone(cluster);
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`]);
      expect(await serviceOf(cluster)).toMatchObject({ isForcedDown: true, disabledReason: "a person's" });
    },
    settings: [standInOpenStack],
  },
  {
    title: "nova-compute that a person has disabled stays so through a hard eviction that is called off",
    async run(cluster) {
      const { cloud } = besideOf(cluster);
      const { id } = await serviceOf(cluster);
      await boot(cluster, 1);
      await cloud.nova().disable(id, "a person's");
      const back = await losesHost(cluster);
      await setState(cluster, "DisabledAndCleared");
      await approve(cluster);
      await confirmFenced(cluster);
      await swept(cluster, "nova-compute is forced down", async () => (await serviceOf(cluster)).isForcedDown);
      expect((await serviceOf(cluster)).disabledReason).toBe("a person's");
      await setState(cluster, "Enabled");
      back();
      await cloud.under.control?.start(node);
      await says(cluster, "disabled, but not by Holdfast");
      expect(await serviceOf(cluster)).toMatchObject({ isEnabled: false, isForcedDown: false });
    },
    settings: [standInOpenStack],
  },
];

/** What is said of servers with disks on their hosts, where hosts share no storage. */
export const localDisks: readonly Scenario[] = [
  {
    title:
      "a server whose disk is on the dead host is not made of its image again, and goes when a person takes the loss",
    async run(cluster) {
      const { cloud } = besideOf(cluster);
      const id = await cloud.boot(node, { imageRef: cloud.under.server.imageRef ?? "image" });
      const back = await losesHost(cluster);
      await evict(cluster);
      await confirmFenced(cluster);
      await says(cluster, `Server ${id}: It has a disk on the dead host`);
      await nothingHappens(cluster);
      expect(await evacuations(cluster)).toEqual([]);
      expect(await counters(cluster)).toMatchObject({ unhandleable: 1, migratable: 0 });
      expect(await serviceOf(cluster)).toMatchObject({ isEnabled: false, isForcedDown: true, state: "down" });
      expect((await cloud.act(id, { evacuate: {} })).status).toBe(200);
      await isGone(cluster);
      expect(await whereabouts(cluster, [id])).toEqual([`ACTIVE ${other}`]);
      expect(await evacuations(cluster, id)).toHaveLength(1);
      back();
    },
  },
];
