import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { seededRandom } from "../../eventing/random.ts";
import {
  NeutronDHCPAgent,
  NeutronL2Agent,
  NeutronL3Agent,
  NovaComputeNode,
} from "../../functions/eviction/lib/kinds.ts";
import { dhcp, l3 } from "../../functions/eviction/lib/openstack/neutron.ts";
import type { Cluster, OtherRelease, Setting } from "../harness/cluster.ts";
import { openCluster } from "../harness/open-cluster.ts";
import {
  agentOn,
  agentPod,
  approve,
  boot,
  computeOf,
  createAgent,
  evict,
  hostsOf,
  isEvicted,
  isGone,
  l2PodIsNew,
  locksOf,
  node,
  nothingHappens,
  other,
  podOf,
  says,
  serve,
  serves,
  serviceOf,
  serving,
  setState,
  swept,
  updateL2Agent,
  watchOrder,
  whereabouts,
} from "../scenarios/eviction/helpers.ts";
import { confirmFenced, evacuations, losesHost } from "../scenarios/eviction/outages.ts";
import { besideOf, standInSetting } from "../scenarios/eviction/settings.ts";
import { loadPrevious, previousCommit } from "./previous-release.ts";
import { sideBySide } from "./side-by-side.ts";

const mixed = "work side by side";

/** What happens to hosts and agents, and how it ends. Each release may do any part of it. */
const runs: Readonly<Record<string, (cluster: Cluster, begins: () => void) => Promise<void>>> = {
  async "a host with servers that run and one that is off leaves"(cluster, begins) {
    const ids = await boot(cluster, 2, 1);
    begins();
    await evict(cluster);
    await isGone(cluster);
    expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`, `ACTIVE ${other}`, `SHUTOFF ${other}`]);
    const moved = (await besideOf(cluster).cloud.nova().migrations(node)).map(({ server }) => server);
    expect(moved.toSorted()).toEqual(ids.toSorted());
    expect([await locksOf(cluster), await podOf(cluster)]).toEqual([[], undefined]);
  },
  async "a host that is down is evacuated"(cluster, begins) {
    const ids = await boot(cluster, 2, 1);
    await losesHost(cluster);
    begins();
    await evict(cluster);
    await confirmFenced(cluster);
    await isGone(cluster);
    expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`, `ACTIVE ${other}`, `SHUTOFF ${other}`]);
    expect((await evacuations(cluster)).map(({ server }) => server).toSorted()).toEqual(ids.toSorted());
    expect(await serviceOf(cluster)).toMatchObject({ isEnabled: false, isForcedDown: true });
    expect(await locksOf(cluster)).toEqual([]);
  },
  async "agents leave"(cluster, begins) {
    for (const kind of [NeutronL3Agent, NeutronDHCPAgent]) await createAgent(cluster, kind);
    const routers = [await serve(cluster, l3), await serve(cluster, l3)];
    const network = await serve(cluster, dhcp);
    begins();
    await evict(cluster, NeutronL3Agent, NeutronDHCPAgent);
    for (const kind of [NeutronL3Agent, NeutronDHCPAgent]) await isGone(cluster, kind);
    for (const id of routers) expect(await hostsOf(cluster, l3, id)).toEqual([other]);
    expect(await hostsOf(cluster, dhcp, network)).toEqual([other]);
    expect(await locksOf(cluster)).toEqual([NovaComputeNode.kind]);
  },
  async "an L2 agent is updated, and what needs it leaves and comes back"(cluster, begins) {
    await createAgent(cluster, NeutronL3Agent);
    const [router, ids] = [await serve(cluster, l3), await boot(cluster, 1, 1)];
    const before = (await podOf(cluster, agentPod(NeutronL2Agent)))?.metadata.uid;
    begins();
    await updateL2Agent(cluster);
    for (const kind of [NovaComputeNode, NeutronL3Agent]) await approve(cluster, kind);
    await l2PodIsNew(cluster, before);
    for (const kind of [NovaComputeNode, NeutronL3Agent]) await serves(cluster, kind);
    expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`, `SHUTOFF ${other}`]);
    expect(await hostsOf(cluster, l3, router)).toEqual([other]);
    expect(await serviceOf(cluster)).toMatchObject({ isEnabled: true });
    expect(await agentOn(cluster, l3)).toMatchObject({ isEnabled: true, description: "" });
    expect(await locksOf(cluster)).toEqual([NeutronL3Agent.kind, NovaComputeNode.kind]);
  },
  async "evictions are called off in the middle"(cluster, begins) {
    const { cloud } = besideOf(cluster);
    await createAgent(cluster, NeutronL3Agent);
    const [routers, ids] = [[await serve(cluster, l3), await serve(cluster, l3)], await boot(cluster, 2, 1)];
    const kinds = [NovaComputeNode, NeutronL3Agent];
    begins();
    for (const kind of kinds) await setState(cluster, "DisabledAndCleared", kind);
    for (const kind of kinds) await approve(cluster, kind);
    await swept(cluster, "a move is under way", async () => (await cloud.nova().migrations(node)).length > 0);
    for (const kind of kinds) await setState(cluster, "Enabled", kind);
    for (const kind of kinds) await serves(cluster, kind);
    await swept(cluster, "each server rests", async () =>
      (await whereabouts(cluster, ids)).every((each) => /^(ACTIVE|SHUTOFF) /.test(each)),
    );
    // What may still come of late requests is waited for.
    for (let i = 0; i < 3; i++) await cloud.pass(310);
    await nothingHappens(cluster);
    for (const id of routers) expect(await hostsOf(cluster, l3, id)).toHaveLength(1);
    expect(await serviceOf(cluster)).toMatchObject({ isEnabled: true });
    expect(await agentOn(cluster, l3)).toMatchObject({ isEnabled: true, description: "" });
  },
};

/** Whether the previous release takes an event, by the number of events, writes and calls of the eviction before it. */
type IsPrevious = (at: number) => boolean;

/** In which order the releases are at work. */
const orders: Readonly<Record<string, () => IsPrevious>> = {
  "are upgraded once": () => {
    const upgrade = seededRandom(601).below(80);
    return (at) => at < upgrade;
  },
  "are upgraded and rolled back again and again": () => {
    const draw = seededRandom(602);
    let [isPrevious, next] = [draw.next() < 0.5, 0];
    return (at) => {
      if (at < next) return isPrevious;
      next = at + 1 + draw.below(24);
      isPrevious = !isPrevious;
      return isPrevious;
    };
  },
  [mixed]: () => {
    const draw = seededRandom(603);
    return () => draw.next() < 0.5;
  },
};

const isThere = (where: string) => where.endsWith(other);

/** A cluster with a host that serves. */
async function opened(setting: Setting): Promise<Cluster> {
  const cluster = (await openCluster(setting)) as Cluster & { stop(): Promise<void> };
  onTestFinished(() => cluster.stop());
  await serving(cluster);
  return cluster;
}

describe.skipIf(!previousCommit)("in the middle of an eviction", () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-previous-"));
  let previous: OtherRelease;
  beforeAll(async () => {
    previous = await loadPrevious(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** A host that serves, with the present release alone until the eviction `begins`; and which were at work then. */
  async function open(isPrevious: IsPrevious) {
    let at = Number.NaN;
    const atWork = new Set<boolean>();
    const setting = standInSetting({ EVICTION_DOWN_FOR: "30s" });
    const present = { manifests: join(import.meta.dirname, "../../knative") };
    const release = sideBySide(previous, present, (rule) => {
      if (!rule.startsWith("eviction/") || Number.isNaN(at)) return false;
      const takes = isPrevious(at++);
      atWork.add(takes);
      return takes;
    });
    const cluster = await opened(Object.assign(setting, { release }));
    const begins = () => {
      at = 0;
    };
    return { cluster, begins, atWork, isLast: () => !Number.isNaN(at) && isPrevious(at) !== isPrevious(++at) };
  }

  /** A process that another release replaces ends with a request: it is carried out, and no answer comes. */
  function dies(cluster: Cluster, isLast: () => boolean): void {
    cluster.intercept(async ({ rule, request }, send) => {
      const response = await send();
      if (rule.startsWith("eviction/") && request.method !== "GET" && isLast())
        throw new Error("The process has died.");
      return response;
    }, "everywhere");
    const { wire } = besideOf(cluster);
    wire.step = async (request, send) => {
      const response = await send();
      if (request.method !== "GET" && isLast()) throw new Error("socket hang up");
      return response;
    };
  }

  /**
   * Confirms each cold move that Holdfast asks a person to confirm: one that a process of the previous release begins
   * when the present one has begun others.
   */
  function confirmsNamed(cluster: Cluster): void {
    const { standIn } = besideOf(cluster);
    cluster.intercept(async ({ request }, send) => {
      const response = await send();
      const named = /Server (\S+): (?:The server's|Its) migration from this host waits at VERIFY_RESIZE/.exec(
        String(request.body),
      );
      const instance = standIn?.cloud.instances.get(named?.[1] ?? "");
      if (instance?.status === "VERIFY_RESIZE") standIn?.cloud.act(instance, "confirmResize", null);
      return response;
    }, "everywhere");
  }

  describe.each(Object.entries(orders))("functions that %s", (what, order) => {
    test.each(Object.entries(runs))("end it as one release does: %s", async (title, run) => {
      const { cluster, begins, isLast, atWork } = await open(order());
      const problems: string[] = [];
      // The pod of a host that is down goes first.
      if (!title.includes("down")) watchOrder(cluster, problems);
      if (what !== mixed) dies(cluster, isLast);
      confirmsNamed(cluster);
      await run(cluster, begins);
      expect([atWork.size, problems]).toEqual([2, []]);
      expect(cluster.asked.filter(({ denied }) => denied)).toEqual([]);
    });
  });

  test.each(["previous", "present"])(
    "with the manifests of each, the %s one begins and ends, the other is between",
    async (of) => {
      const [first, second] = of === "previous" ? [previous, undefined] : [undefined, previous];
      const setting = standInSetting({});
      const cluster = await opened(first ? Object.assign(setting, { release: first }) : setting);
      const { cloud } = besideOf(cluster);
      const upgrade = cluster.upgrade as NonNullable<typeof cluster.upgrade>;
      await createAgent(cluster, NeutronL3Agent);
      const [router, ids] = [await serve(cluster, l3), await boot(cluster, 2, 1)];
      await evict(cluster, NovaComputeNode, NeutronL3Agent);
      await swept(cluster, "a move is under way", async () => (await cloud.nova().migrations(node)).length > 0);
      expect((await whereabouts(cluster, ids)).every(isThere)).toBe(false);
      await upgrade(second);
      await swept(cluster, "a server has left", async () => (await whereabouts(cluster, ids)).some(isThere));
      await upgrade(first);
      expect(await computeOf(cluster)).toBeDefined();
      for (const kind of [NovaComputeNode, NeutronL3Agent]) await isGone(cluster, kind);
      expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`, `ACTIVE ${other}`, `SHUTOFF ${other}`]);
      expect(await cloud.nova().migrations(node)).toHaveLength(3);
      expect([await hostsOf(cluster, l3, router), await locksOf(cluster)]).toEqual([[other], []]);
      expect(cluster.asked.filter(({ denied }) => denied)).toEqual([]);
    },
  );

  test("a call to evacuate of the previous release may come late, also after a person's own move", async () => {
    let isPrevious = true;
    const { cluster, begins } = await open(() => isPrevious);
    const { cloud, wire } = besideOf(cluster);
    const ids = await boot(cluster, 1);
    await losesHost(cluster);
    begins();
    let isOver = false;
    wire.step = async (request, send) => {
      if (isOver || !request.body?.includes("evacuate")) return send();
      isOver = true;
      void cluster.clock.sleep(300_000).then(send);
      throw new Error("socket hang up");
    };
    await evict(cluster);
    await confirmFenced(cluster);
    await swept(cluster, "the answer is lost", async () => isOver);
    isPrevious = false;
    // A person's move, which Nova takes, and which fails within seconds.
    await cloud.act(ids[0] ?? "", { "os-migrateLive": { host: null } });
    await cloud.pass(60);
    await nothingHappens(cluster);
    expect(await evacuations(cluster)).toEqual([]);
    await cloud.pass(240);
    await isGone(cluster);
    expect(await evacuations(cluster)).toHaveLength(1);
    expect(await whereabouts(cluster, ids)).toEqual([`ACTIVE ${other}`]);
  });

  test("an eviction that the previous release has begun asks no other cloud for anything", async () => {
    let isPrevious = true;
    const { cluster, begins } = await open(() => isPrevious);
    const { standIn, wire } = besideOf(cluster);
    const ids = await boot(cluster, 4);
    begins();
    await setState(cluster, "DisabledAndCleared");
    let asked = 0;
    wire.step = async (request, send) => {
      const answer = await send();
      if (!request.body?.includes("os-migrateLive")) return answer;
      asked += 1;
      isPrevious = asked < 2;
      const host = standIn?.cloud.hosts.get(node);
      if (asked === 3 && host) standIn?.cloud.hosts.set(node, { ...host, id: "of-another-cloud" });
      return answer;
    };
    await approve(cluster);
    await says(cluster, "but Nova now has of-another-cloud there. Holdfast changes nothing there");
    await nothingHappens(cluster);
    expect(asked).toBe(3);
    expect((await whereabouts(cluster, ids)).filter((each) => each.endsWith(node))).toHaveLength(1);
  });

  test("a cold move that the previous release begins after a rollback waits for a person, and it says so", async () => {
    let isPrevious = false;
    const { cluster, begins } = await open(() => isPrevious);
    const { cloud, standIn } = besideOf(cluster);
    const [first = "", second = ""] = await boot(cluster, 0, 2);
    await cloud.act(second, { "os-resetState": { state: "error" } });
    begins();
    await setState(cluster, "DisabledAndCleared");
    await approve(cluster);
    const hasLeft = async (id: string) => (await cloud.server(id)).host === other;
    await swept(cluster, "the first has left", () => hasLeft(first));
    isPrevious = true;
    Object.assign(standIn?.cloud.instances.get(second) ?? {}, { status: "SHUTOFF" });
    await swept(cluster, "the second is on its way", () => hasLeft(second));
    isPrevious = false;
    await says(cluster, "waits at VERIFY_RESIZE, and Holdfast has no note that it began this.");
    expect(await whereabouts(cluster, [first, second])).toEqual([`SHUTOFF ${other}`, `VERIFY_RESIZE ${other}`]);
    await cloud.act(second, { confirmResize: null });
    await isEvicted(cluster);
  });

  test("a host that the previous release has disabled stays so, and no cold move is confirmed", async () => {
    let isPrevious = true;
    const { cluster, begins } = await open(() => isPrevious);
    const { cloud } = besideOf(cluster);
    const [id = ""] = await boot(cluster, 0, 1);
    begins();
    await setState(cluster, "Disabled");
    await says(cluster, "True Success: nova-compute is disabled.");
    isPrevious = false;
    await cloud.act(id, { migrate: null });
    await cloud.reaches(id, "VERIFY_RESIZE");
    await nothingHappens(cluster);
    expect(await serviceOf(cluster)).toMatchObject({ isEnabled: false });
    expect(await whereabouts(cluster, [id])).toEqual([`VERIFY_RESIZE ${other}`]);
  });
});
