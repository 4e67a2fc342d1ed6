import { expect } from "vitest";
import { NovaComputeNode } from "../../../functions/eviction/lib/kinds.ts";
import { approvalKey, fencedKey, recordKey } from "../../../functions/eviction/lib/names.ts";
import type { World } from "../../worlds/world.ts";
import type { Scenario } from "../scenario.ts";
import {
  annotateCompute,
  approve,
  boot,
  computeOf,
  conditionOf,
  counters,
  locksOf,
  namespace,
  node,
  nothingHappens,
  other,
  podOf,
  serviceOf,
  setState,
  swept,
  whereabouts,
  whileItMoves,
} from "./helpers.ts";
import { besideOf, standInOpenStack } from "./settings.ts";

const remove = (world: World) => world.admin.delete(NovaComputeNode, namespace, node);
const isGone = (world: World) => swept(world, "the resource is gone", async () => !(await computeOf(world)));
const says = (world: World, what: string | RegExp) =>
  swept(world, `it says ${what}`, async () => {
    const message = await conditionOf(world, "converged");
    return (typeof what === "string" ? message.includes(what) : what.test(message)) && message;
  });
/** From now on the Node says that it is not Ready, to every function. Returns how to have it Ready again. */
function losesNode(world: World): () => void {
  let isLost = true;
  const lastTransitionTime = new Date(world.clock.now()).toISOString();
  world.intercept(async ({ request }, send) => {
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
async function losesHost(world: World): Promise<() => void> {
  const { cloud } = besideOf(world);
  const back = losesNode(world);
  await cloud.under.control?.stop(node);
  await cloud.until("nova-compute is down", async () => (await cloud.nova().service(node))?.state === "down", 120);
  return back;
}

/** A person answers for the host, as the message asks. */
async function confirmFenced(world: World): Promise<void> {
  const message = await says(world, fencedKey);
  const value = new RegExp(`${fencedKey}=(\\S+)`).exec(message)?.[1] ?? "";
  await annotateCompute(world, { [fencedKey]: value });
}

const evacuations = async (world: World, server?: string) =>
  (await besideOf(world).cloud.nova().migrations(node)).filter(
    (move) => move.type === "evacuation" && (!server || move.server === server),
  );
const instanceOf = (world: World, id: string) => besideOf(world).standIn?.cloud.instances.get(id);
const withIronic = (world: World) =>
  world.admin.patch(NovaComputeNode, namespace, node, "merge", {
    spec: { eviction: { ironicNodeShutdown: { node } } },
  });
/** Every evacuation that Nova has been asked for, as `server power`, where the power is that of the host. */
function watchEvacuations(world: World): string[] {
  const asked: string[] = [];
  const { standIn } = besideOf(world);
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
    async run(world) {
      const { cloud } = besideOf(world);
      const ids = await boot(world, 2, 1);
      const [broken = ""] = await boot(world, 1);
      await cloud.act(broken, { "os-resetState": { state: "error" } });
      await losesHost(world);
      await remove(world);
      await approve(world);
      await says(world, /yes: .*yes: .*no: both have said so/);
      expect(await conditionOf(world, "hostDown")).toMatch(/^False NotProven/);
      await says(world, "Power it off, see that it stays off");
      expect(await conditionOf(world, "hostDown")).toMatch(/^True NotFenced: .*(yes: [^;]+; ){4}yes: 1 of 2/);
      await nothingHappens(world);
      expect([await evacuations(world), (await serviceOf(world)).isForcedDown]).toEqual([[], false]);
      await confirmFenced(world);
      await swept(world, "nova-compute is forced down", async () => (await serviceOf(world)).isForcedDown);
      await swept(world, "the pod goes at the same time", async () => !(await podOf(world)));
      await isGone(world);
      expect(await whereabouts(world, ids)).toEqual([`ACTIVE ${other}`, `ACTIVE ${other}`, `SHUTOFF ${other}`]);
      expect(await whereabouts(world, [broken])).toEqual([`ERROR ${other}`]);
      expect((await evacuations(world)).map(({ server }) => server).toSorted()).toEqual([...ids, broken].toSorted());
      expect(await locksOf(world)).toEqual([]);
      expect(await serviceOf(world)).toMatchObject({ isEnabled: false, isForcedDown: true });
    },
  },
  {
    title: "with ironicNodeShutdown the node gets shut down, and no server is evacuated before it is seen to be off",
    async run(world) {
      const asked = watchEvacuations(world);
      const { standIn } = besideOf(world);
      await withIronic(world);
      const ids = await boot(world, 2);
      await losesHost(world);
      await remove(world);
      await approve(world);
      await swept(world, "it is turned off", async () => standIn?.cloud.hosts.get(node)?.power === "power off");
      // Where Ironic cannot be asked, the host may be on again.
      standIn?.stop("ironic");
      await says(world, "waits for OpenStack, which has been away since");
      const { length } = asked;
      await nothingHappens(world);
      expect(asked).toHaveLength(length);
      standIn?.start();
      await isGone(world);
      expect(asked.toSorted()).toEqual(ids.map((id) => `${id} power off`).toSorted());
      expect(await whereabouts(world, ids)).toEqual([`ACTIVE ${other}`, `ACTIVE ${other}`]);
    },
    settings: [standInOpenStack],
  },
  ...(["Nova", "Kubernetes"] as const).map(
    (witness): Scenario => ({
      title: `a host that is down by the word of ${witness} alone is disabled, and neither turned off nor evacuated`,
      async run(world) {
        const { cloud, standIn } = besideOf(world);
        const asked = watchEvacuations(world);
        await withIronic(world);
        const ids = await boot(world, 1);
        if (witness === "Nova") await cloud.under.control?.stop(node);
        const back = witness === "Kubernetes" ? losesNode(world) : () => {};
        if (witness === "Nova")
          await cloud.until("it is down", async () => (await cloud.nova().service(node))?.state === "down", 120);
        await remove(world);
        await approve(world);
        if (witness === "Nova") {
          await says(world, /no: Node \S+ is Ready/);
          await nothingHappens(world);
          expect([asked, standIn?.cloud.hosts.get(node)?.power]).toEqual([[], "power on"]);
          expect(await serviceOf(world)).toMatchObject({ isEnabled: false, isForcedDown: false });
          await cloud.under.control?.start(node);
        }
        await isGone(world);
        back();
        expect(await whereabouts(world, ids)).toEqual([`ACTIVE ${other}`]);
        expect(standIn?.cloud.hosts.get(node)?.power).toBe("power on");
      },
      settings: [standInOpenStack],
    }),
  ),
  {
    title: "while no scheduler is up, or most computes do not report, a host is not taken for down",
    async run(world) {
      const { cloud, standIn } = besideOf(world);
      await withIronic(world);
      await boot(world, 1);
      if (standIn) standIn.cloud.schedulers.isUp = false;
      await losesHost(world);
      await cloud.under.control?.stop(other);
      await remove(world);
      await approve(world);
      await says(world, /yes: both have said so.*no: no nova-scheduler is up; no: 2 of 2 nova-computes do not report/);
      await nothingHappens(world);
      expect(standIn?.cloud.hosts.get(node)?.power).toBe("power on");
      if (standIn) standIn.cloud.schedulers.isUp = true;
      await cloud.under.control?.start(other);
      await isGone(world);
    },
    settings: [standInOpenStack],
  },
  {
    title: "an eviction that is called off after servers were evacuated holds the host down until they are settled",
    async run(world) {
      const { cloud } = besideOf(world);
      const ids = await boot(world, 2);
      const back = await losesHost(world);
      await setState(world, "DisabledAndCleared");
      await approve(world);
      await confirmFenced(world);
      await swept(world, "a server is evacuated", async () => (await evacuations(world)).length > 0);
      await setState(world, "Enabled");
      expect((await serviceOf(world)).isForcedDown).toBe(true);
      await says(world, "their migrations are `done`, and become `completed`");
      const { id } = await serviceOf(world);
      await expect(cloud.nova().endForcedDown(id)).rejects.toThrow("Unable to force up host");
      back();
      await cloud.under.control?.start(node);
      await swept(world, "it serves again", async () => (await conditionOf(world, "converged")).startsWith("True"));
      expect(await serviceOf(world)).toMatchObject({ isEnabled: true, isForcedDown: false, state: "up" });
      const { length } = await evacuations(world);
      await nothingHappens(world);
      expect(await evacuations(world)).toHaveLength(length);
      expect((await whereabouts(world, ids)).filter((each) => !each.startsWith("ACTIVE "))).toEqual([]);
      expect((await computeOf(world))?.metadata.annotations?.[fencedKey]).toBeUndefined();
      expect((await computeOf(world))?.metadata.annotations?.[approvalKey]).toBeUndefined();
    },
  },
  {
    title: "a live move whose host dies in the middle is left to a person, who starts the server elsewhere, once",
    async run(world) {
      const { cloud } = besideOf(world);
      const [id = ""] = await boot(world, 1);
      await setState(world, "DisabledAndCleared");
      await approve(world);
      await whileItMoves(world, node);
      await losesHost(world);
      await confirmFenced(world);
      await says(world, `Server ${id}: It was being moved to ${other} when its host went down`);
      await nothingHappens(world);
      expect(await evacuations(world)).toEqual([]);
      expect((await cloud.act(id, { evacuate: {} })).status).toBe(200);
      await swept(world, "it is evicted", async () => (await conditionOf(world, "evicted")).startsWith("Evicted"));
      expect(await whereabouts(world, [id])).toEqual([`ACTIVE ${other}`]);
      expect(await evacuations(world)).toHaveLength(1);
    },
  },
  ...(["lost", "late"] as const).map(
    (fate): Scenario => ({
      title:
        `an evacuation whose answer is lost, carried out ${fate === "late" ? "minutes later" : "at once"}, ` +
        "is not asked for twice",
      async run(world) {
        const { wire } = besideOf(world);
        const ids = await boot(world, 1);
        await losesHost(world);
        let isOver = false;
        wire.step = async (request, send) => {
          if (isOver || !request.body?.includes("evacuate")) return send();
          isOver = true;
          if (fate === "late") void world.clock.sleep(300_000).then(send);
          else await send();
          throw new Error("socket hang up");
        };
        await remove(world);
        await approve(world);
        await confirmFenced(world);
        await swept(world, "the answer is lost", async () => isOver);
        if (fate === "late") {
          await nothingHappens(world);
          expect(await evacuations(world)).toEqual([]);
          await besideOf(world).cloud.pass(300);
        }
        await isGone(world);
        expect(await evacuations(world)).toHaveLength(1);
        expect(await whereabouts(world, ids)).toEqual([`ACTIVE ${other}`]);
      },
      ...(fate === "late" ? { settings: [standInOpenStack] } : {}),
    }),
  ),
  {
    title: "a hard eviction of which every first answer is lost, of Kubernetes and of OpenStack, ends all the same",
    async run(world) {
      const asked = watchEvacuations(world);
      const { wire } = besideOf(world);
      await withIronic(world);
      const ids = await boot(world, 2, 1);
      await losesHost(world);
      const seen = new Set<string>();
      const isFirst = (key: string) => seen.size < seen.add(key).size;
      world.intercept(async ({ rule, request }, send) => {
        const response = await send();
        if (rule.startsWith("eviction/") && isFirst(`${rule} ${request.method} ${request.path}`))
          throw new Error("The process has died.");
        return response;
      }, "everywhere");
      wire.step = async (request, send) => {
        const response = await send();
        if (isFirst(`${request.method} ${request.path} ${request.body}`)) throw new Error("socket hang up");
        return response;
      };
      await remove(world);
      await approve(world);
      await swept(world, "a server is evacuated", async () => asked.length > 0);
      // What is lost may still come, for ten minutes.
      for (let i = 0; i < 5 && (await computeOf(world)); i++) {
        await besideOf(world).cloud.pass(180);
        await nothingHappens(world);
      }
      await isGone(world);
      expect(asked.toSorted()).toEqual(ids.map((id) => `${id} power off`).toSorted());
      expect(await whereabouts(world, ids)).toEqual([`ACTIVE ${other}`, `ACTIVE ${other}`, `SHUTOFF ${other}`]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a host that is turned on again in the middle of its evacuation is left alone until a person decides",
    async run(world) {
      const asked = watchEvacuations(world);
      const { standIn } = besideOf(world);
      await withIronic(world);
      const [first = "", second = ""] = await boot(world, 2);
      // One at a time, and the second one rests.
      Object.assign(instanceOf(world, second) ?? {}, { task: "deleting" });
      const back = await losesHost(world);
      await remove(world);
      await approve(world);
      await swept(world, "the first is elsewhere", async () => (await whereabouts(world, [first]))[0]?.endsWith(other));
      standIn?.cloud.powerOn(node);
      back();
      Object.assign(instanceOf(world, second) ?? {}, { task: null });
      await says(world, /evacuated only while it is off for certain\. Node \S+ is Ready/);
      await nothingHappens(world);
      expect(asked.map((each) => each.split(" ")[0])).toEqual([first]);
      expect(standIn?.cloud.hosts.get(node)?.power).toBe("power on");
      await annotateCompute(world, { [approvalKey]: null });
      await standIn?.cloud.run(node, true);
      await swept(world, "nova-compute serves again", async () => (await serviceOf(world)).isEnabled);
      await approve(world);
      await isGone(world);
      expect(await whereabouts(world, [first, second])).toEqual([`ACTIVE ${other}`, `ACTIVE ${other}`]);
    },
    settings: [standInOpenStack],
  },
  {
    title: "a change that a person makes of a host in the middle of its evacuation is answered for once more",
    async run(world) {
      const { cloud } = besideOf(world);
      const ids = await boot(world, 1);
      await losesHost(world);
      await remove(world);
      await approve(world);
      await confirmFenced(world);
      await swept(world, "nova-compute is seen to be forced down", async () =>
        (await computeOf(world))?.metadata.annotations?.[recordKey]?.includes('"forced"'),
      );
      await cloud.pass(1);
      await cloud.nova().disable((await serviceOf(world)).id, "a person's");
      await says(world, /has reported at \S+, or was changed in Nova\. To call the eviction off/);
      await cloud.pass(60);
      await nothingHappens(world);
      expect(await evacuations(world)).toEqual([]);
      await confirmFenced(world);
      await isGone(world);
      expect(await whereabouts(world, ids)).toEqual([`ACTIVE ${other}`]);
      expect(await serviceOf(world)).toMatchObject({ isForcedDown: true, disabledReason: "a person's" });
    },
    settings: [standInOpenStack],
  },
  {
    title: "nova-compute that a person has disabled stays so through a hard eviction that is called off",
    async run(world) {
      const { cloud } = besideOf(world);
      const { id } = await serviceOf(world);
      await boot(world, 1);
      await cloud.nova().disable(id, "a person's");
      const back = await losesHost(world);
      await setState(world, "DisabledAndCleared");
      await approve(world);
      await confirmFenced(world);
      await swept(world, "nova-compute is forced down", async () => (await serviceOf(world)).isForcedDown);
      expect((await serviceOf(world)).disabledReason).toBe("a person's");
      await setState(world, "Enabled");
      back();
      await cloud.under.control?.start(node);
      await says(world, "disabled, and not by Holdfast");
      expect(await serviceOf(world)).toMatchObject({ isEnabled: false, isForcedDown: false });
    },
    settings: [standInOpenStack],
  },
];

/** What is said of servers with disks on their hosts, where hosts share no storage. */
export const localDisks: readonly Scenario[] = [
  {
    title:
      "a server whose disk is on the dead host is not made of its image again, and goes when a person takes the loss",
    async run(world) {
      const { cloud } = besideOf(world);
      const id = await cloud.boot(node, { imageRef: cloud.under.server.imageRef ?? "image" });
      const back = await losesHost(world);
      await remove(world);
      await approve(world);
      await confirmFenced(world);
      await says(world, `Server ${id}: It has a disk on the dead host`);
      await nothingHappens(world);
      expect(await evacuations(world)).toEqual([]);
      expect(await counters(world)).toMatchObject({ unhandleable: 1, migratable: 0 });
      expect(await serviceOf(world)).toMatchObject({ isEnabled: false, isForcedDown: true, state: "down" });
      expect((await cloud.act(id, { evacuate: {} })).status).toBe(200);
      await isGone(world);
      expect(await whereabouts(world, [id])).toEqual([`ACTIVE ${other}`]);
      expect(await evacuations(world, id)).toHaveLength(1);
      back();
    },
  },
];
