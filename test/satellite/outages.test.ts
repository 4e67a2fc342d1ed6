import { describe, expect, test } from "vitest";
import { seededRandom } from "../../eventing/random.ts";
import { DaemonSet, daemonSetName, LinstorSatellite, Machine } from "../../functions/satellite/lib/kinds.ts";
import { recordKey } from "../../functions/satellite/lib/record.ts";
import { approvalKey } from "../../functions/satellite/mark/may-begin.ts";
import { Event, PersistentVolume, Pod } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { waitingLabel } from "../../shared/progress.ts";
import { proveTheseAreMade } from "../scenarios/rights.ts";
import { controlPlane } from "./administrator.ts";
import { addressOf, workloads } from "./harness.ts";
import { admin, harness, withHarness } from "./with-harness.ts";
import { writesMade } from "./writes-made.ts";

const node = "node-1";
const minute = 60_000;
const managementCluster = /cluster\.x-k8s\.io/;

const asked = withHarness();

const message = async (name: string) => (await harness.condition(name, "SatelliteEvacuated"))?.message ?? "";
const isConfigured = async (name: string) => (await harness.condition(name, "Configured"))?.status === "True";
/** How often a function has written to the satellite. */
const writesTo = (name: string) => harness.history.filter((line) => line.endsWith(`/linstorsatellites/${name}`)).length;

describe("LINSTOR is away", () => {
  test("when a Machine is deleted: the satellite says so, and the evacuation begins when LINSTOR is back", async () => {
    await admin.hookedMachine(node);
    await harness.volume("pvc-1", [node, "node-2"]);
    harness.linstor.stopController();
    await harness.delete(Machine, "worker");
    await admin.says(node, "SatelliteEvacuated", /waits for LINSTOR, which has been away since 20/);
    const { labels } = (await harness.get(LinstorSatellite, node))?.metadata ?? {};
    expect(labels).toMatchObject({ [waitingLabel]: "true" });
    await harness.clock.advance(10 * minute);
    expect(harness.calls.evacuate).toEqual([]);
    harness.linstor.startController();
    await harness.clock.advance(3 * minute);
    expect(harness.calls.evacuate).toEqual([node]);
    await admin.gone(Machine, "worker");
  });

  test("while copies are made: the condition says since when, few writes tell of it, and it goes on", async () => {
    await harness.volume("pvc-1", [node, "node-2"]);
    await admin.taint(node, "NoExecute");
    await admin.says(node, "SatelliteEvacuated", /remaining resources/);
    harness.linstor.stopController();
    const from = new Date(harness.clock.now()).toISOString().slice(0, 15);
    await harness.clock.advance(minute);
    const said = await message(node);
    expect(said).toContain(`waits for LINSTOR, which has been away since ${from}`);
    const writes = writesTo(node);
    await harness.clock.advance(20 * minute);
    expect(await message(node)).toBe(said);
    expect(writesTo(node) - writes).toBeLessThan(30);
    harness.linstor.startController();
    await admin.gone(LinstorSatellite, node);
    expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(2);
  });

  test("and back: that all nodes are OFFLINE for a moment is no reason to give anything up", async () => {
    await harness.volume("pvc-1", [node, "node-2"]);
    await harness.delete(LinstorSatellite, node);
    await admin.says(node, "SatelliteEvacuated", /remaining resources/);
    harness.answerLinstor(async (request, send) => {
      const answer = await send(request);
      return { ...answer, body: answer.body.replaceAll('"ONLINE"', '"OFFLINE"') };
    });
    await admin.says(node, "SatelliteEvacuated", /connected with none of its 4 satellites/);
    expect(harness.history.filter((line) => /EvacuationStuck|policy to Delete|too few/.test(line))).toEqual([]);
    harness.answerLinstor();
    await admin.replaced(node);
  });
});

describe("LINSTOR goes away and comes back again and again, while an evacuation waits at its first step", () => {
  const random = seededRandom(7);
  test.each([
    ["one request of ten fails", () => random.below(10) === 0],
    ["for four seconds of every seven", () => harness.clock.now() % 7_000 < 4_000],
  ])("%s: the satellite says so in few writes, and is evacuated afterwards", async (_, isAway) => {
    await harness.volume("pvc-1", [node, "node-2"]);
    const approve = (value: string) =>
      harness.merge(LinstorSatellite, node, { metadata: { annotations: { [approvalKey]: value } } });
    await approve("false");
    await harness.delete(LinstorSatellite, node);
    await admin.says(node, "SatelliteEvacuated", new RegExp(`${approvalKey}=true`));
    harness.answerLinstor(async (request, send) => {
      if (isAway()) throw new Error("connect ECONNREFUSED");
      return send(request);
    });
    const writes = () => harness.history.filter((line) => /PATCH .*\/linstorsatellites\/node-1/.test(line)).length;
    const before = writes();
    await admin.says(node, "SatelliteEvacuated", /waits for LINSTOR, which has been away since 20/);
    await harness.clock.advance(20 * minute);
    expect(writes() - before).toBeLessThan(100);
    harness.answerLinstor();
    await approve("true");
    const back = harness.clock.now();
    await harness.until("LINSTOR was called", () => harness.calls.evacuate.length > 0);
    expect(harness.clock.now() - back).toBeLessThan(5 * minute);
    await admin.replaced(node);
    expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(2);
  });
});

describe("a satellite that cannot be judged", () => {
  test("keeps the wait for a broken neighbour of another evacuation from nothing", async () => {
    await harness.volume("pvc-1", [node, "node-4"]);
    await admin.configureOnly("node-3", { properties: [{ name: "Aux/x", valueFrom: { nodeFieldRef: "metadata" } }] });
    await harness.until("node-3 is not configured", async () => !(await isConfigured("node-3")));
    const { props } = (await admin.linstorNode("node-2")) as never as { props: Record<string, string> };
    const mine = Object.keys(props).filter((key) => key.startsWith("Aux/piraeus.io/"));
    await admin.ask("PUT", "/v1/nodes/node-2", { delete_props: mine });
    await harness.delete(LinstorSatellite, "node-2");
    await admin.says("node-2", "SatelliteEvacuated", /^Error: LINSTOR has a node node-2, and nothing says/);
    await harness.delete(LinstorSatellite, node);
    await admin.says(node, "SatelliteEvacuated", /to become ready: node-3\./);
    expect(await admin.annotation(node, "holdfast.dev/evacuation")).toContain('"awaited"');
  });
});

describe("a satellite that is OFFLINE in the middle of its evacuation", () => {
  test("is said at once, and the way that gives its data up only when that lasts", async () => {
    await harness.volume("pvc-1", [node, "node-2"]);
    await harness.delete(LinstorSatellite, node);
    await admin.says(node, "SatelliteEvacuated", /remaining resources/);
    const events = async () =>
      (await Array.fromAsync(harness.client.list<KubernetesObject & { reason: string }>(Event))).map(
        ({ reason }) => reason,
      );
    harness.linstor.stopSatellite(addressOf(node));
    await admin.says(node, "SatelliteEvacuated", /^Waiting.*is OFFLINE in LINSTOR, so that .* from it\.$/);
    await harness.clock.advance(minute);
    expect(await message(node)).not.toMatch(/Error|Delete/);
    expect(await events()).not.toContain("EvacuationStuck");
    await admin.says(node, "SatelliteEvacuated", /^Error: .*set the deletion policy to Delete/);
    expect(await events()).toContain("EvacuationStuck");
    harness.linstor.startSatellite(addressOf(node));
    await admin.replaced(node);
    expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(2);
  });
});

/** The pod on the Node starts again at another address, as its DaemonSet says. */
async function movePod(address: string): Promise<void> {
  const ready = (numberReady: number) =>
    harness.client.patch(DaemonSet, workloads, daemonSetName(node), "merge", { status: { numberReady } }, ofStatus);
  await ready(0);
  harness.linstor.stopSatellite(addressOf(node));
  const status = { podIP: address, podIPs: [{ ip: address }] };
  await harness.client.patch(Pod, workloads, `satellite-${node}`, "merge", { status }, ofStatus);
  harness.linstor.startSatellite(address);
  await ready(1);
}
const ofStatus = { subresource: "status" };

describe("a satellite whose pod gets a new address in the middle of its evacuation", () => {
  test("is connected again there, and evacuated", async () => {
    await harness.volume("pvc-1", [node, "node-2"]);
    await harness.delete(LinstorSatellite, node);
    await admin.says(node, "SatelliteEvacuated", /remaining resources/);
    await movePod("10.0.0.77");
    await harness.until("LINSTOR has the new address", async () =>
      JSON.stringify(await admin.linstorNode(node)).includes("10.0.0.77"),
    );
    await admin.replaced(node);
    expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(2);
  });
});

describe("a neighbour that LINSTOR is not connected with", () => {
  test("is waited for, regardless of its earlier condition", async () => {
    await harness.volume("pvc-1", [node, "node-2"]);
    harness.linstor.stopSatellite(addressOf("node-3"));
    await harness.clock.advance(10 * minute);
    expect(await isConfigured("node-3")).toBe(true);
    await harness.delete(LinstorSatellite, node);
    await admin.says(node, "SatelliteEvacuated", /Waiting for LinstorSatellites to become ready: node-3\./);
    await harness.clock.advance(minute);
    expect(harness.calls.evacuate).toEqual([]);
    harness.linstor.startSatellite(addressOf("node-3"));
    await harness.clock.advance(minute);
    expect(harness.calls.evacuate).toEqual([node]);
  });
});

test("a volume that is Released, and still attached, is neither marked nor waited for", async () => {
  await harness.volume("pvc-1", [node, "node-2"], { attached: node, bound: true });
  await harness.merge(PersistentVolume, "pvc-1", { status: { phase: "Released" } }, "status");
  await harness.delete(LinstorSatellite, node);
  await harness.until("LINSTOR was called", () => harness.calls.evacuate.length > 0);
  expect(await admin.marks("pvc-1", node)).toEqual([]);
});

test("an evacuation that was given up, whose node LINSTOR does not list any more, is forgotten", async () => {
  const uid = (await harness.get(LinstorSatellite, node))?.metadata.uid;
  harness.linstor.stopSatellite(addressOf(node));
  await harness.clock.advance(10_000);
  await admin.ask("DELETE", `/v1/nodes/${node}/lost`);
  const record = { v: 1, uid, begun: new Date(harness.clock.now()).toISOString() };
  await harness.merge(LinstorSatellite, node, { metadata: { annotations: { [recordKey]: JSON.stringify(record) } } });
  await harness.until("it is forgotten", async () => {
    return (await admin.annotation(node, recordKey)) === undefined;
  });
  harness.linstor.startSatellite(addressOf(node));
  await harness.until("it is registered again", () => admin.isListed(node));
});

describe("the management cluster is away", () => {
  test("a satellite with the policy Retain goes", async () => {
    await admin.hookedMachine(node);
    await admin.setPolicy(node, "Retain");
    await harness.until("the Machine is free", async () => (await admin.hooksOn("worker")).length === 0);
    harness.cutOff(managementCluster);
    const uid = (await harness.get(LinstorSatellite, node))?.metadata.uid;
    await admin.taint(node, "NoExecute");
    await harness.until("it is gone", async () => (await harness.get(LinstorSatellite, node))?.metadata.uid !== uid);
    harness.cutOff();
  });

  test("a satellite with the policy Delete goes, whose Machine carries no hooks of ours", async () => {
    await admin.hookedMachine(node);
    await admin.setPolicy(node, "Delete");
    await harness.until("the Machine is free", async () => (await admin.hooksOn("worker")).length === 0);
    harness.cutOff(managementCluster);
    await admin.taint(node, "NoExecute");
    harness.linstor.stopSatellite(addressOf(node));
    await admin.gone(LinstorSatellite, node);
    expect(await admin.isListed(node)).toBe(false);
    harness.cutOff();
  });

  test("a satellite with the policy Retain whose Machine carries our hooks stays, and says what is away", async () => {
    await admin.hookedMachine(node);
    harness.cutOff(managementCluster);
    await admin.setPolicy(node, "Retain");
    await admin.taint(node, "NoExecute");
    await harness.clock.advance(2 * minute);
    expect(await admin.annotation(node, "holdfast.dev/satellite.retain.away")).toMatch(
      /waits for Cluster API since 20/,
    );
    harness.cutOff();
    await admin.gone(LinstorSatellite, node);
    expect(await admin.hooksOn("worker")).toEqual([]);
  });

  test("a satellite whose pod has a new address is connected again", async () => {
    await admin.hookedMachine(node);
    harness.cutOff(managementCluster);
    harness.linstor.stopSatellite(addressOf(node));
    const status = { podIP: "10.0.0.77", podIPs: [{ ip: "10.0.0.77" }] };
    await harness.client.patch(Pod, workloads, `satellite-${node}`, "merge", { status }, { subresource: "status" });
    harness.linstor.startSatellite("10.0.0.77");
    await harness.merge(LinstorSatellite, node, { metadata: { annotations: { touched: "yes" } } });
    const available = await harness.condition(node, "Available");
    if (available?.status === "True")
      await harness.merge(LinstorSatellite, node, { status: { conditions: [] } }, "status");
    await harness.until(
      "LINSTOR is connected",
      async () => (await admin.linstorNode(node)).connection_status === "ONLINE",
    );
    harness.cutOff();
  });

  test("an evacuation waits while it serves no Machines for a moment, and nothing is taken back", async () => {
    await admin.hookedMachine(node);
    await harness.volume("pvc-1", [node, "node-2"]);
    await harness.delete(Machine, "worker");
    await harness.until("LINSTOR was called", () => harness.calls.evacuate.length > 0);
    harness.cutOff(/^\/apis\/cluster\.x-k8s\.io/, "not found");
    await admin.says(node, "SatelliteEvacuated", /waits for Cluster API, .* serves no Machines/);
    await harness.clock.advance(2 * minute);
    expect(await admin.annotation(node, recordKey)).toBeDefined();
    expect((await admin.linstorNode(node)).flags).toEqual(["EVACUATE"]);
    harness.cutOff();
    await admin.gone(Machine, "worker");
  });

  test("for writes alone, as without its webhook: the satellite says so in few writes, and it ends", async () => {
    await admin.hookedMachine(node);
    await harness.volume("pvc-1", [node, "node-2"]);
    harness.cutOff(/\/machines\/worker/, "read-only");
    await harness.delete(Machine, "worker");
    await harness.clock.advance(2 * minute);
    const key = "holdfast.dev/satellite.release-drain.away";
    const awayOf = () => admin.annotation(node, key);
    const said = await awayOf();
    expect(said).toMatch(/waits for Cluster API since 20.*Machine .*worker could not be changed/);
    const isSaid = async () =>
      (await Array.fromAsync(harness.client.list(Event))).some(
        (event) => event.reason === "ClusterAPIUnreachable" && event.metadata.name.startsWith(node),
      );
    expect(await isSaid()).toBe(true);
    const writes = writesTo(node);
    await harness.clock.advance(20 * minute);
    expect(await awayOf()).toBe(said);
    expect(writesTo(node) - writes).toBeLessThan(10);
    harness.cutOff();
    await admin.gone(Machine, "worker");
    expect(await isSaid()).toBe(false);
    expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(2);
  });

  /** Writes are carried out four minutes late for so long (ms), and then at once. Returns how the late ones ended. */
  async function evacuatedWithLateWrites(long: number): Promise<readonly number[]> {
    await admin.hookedMachine(node);
    await harness.volume("pvc-1", [node, "node-2"]);
    harness.cutOff(/\/machines\/worker/, "late");
    await harness.delete(Machine, "worker");
    await harness.until("it is said", async () =>
      (await Array.fromAsync(harness.client.list(Event))).some(
        (event) => event.reason === "ClusterAPIUnreachable" && event.metadata.name.startsWith(node),
      ),
    );
    await harness.clock.advance(long);
    harness.cutOff();
    const back = harness.clock.now();
    await admin.gone(Machine, "worker");
    expect(harness.clock.now() - back).toBeLessThan(5 * minute);
    await harness.clock.advance(5 * minute);
    expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(2);
    expect(harness.calls.evacuate).toEqual([node]);
    return harness.late;
  }

  test("and carries writes out minutes later: the satellite says so, and the end is the same", async () => {
    const statuses = await evacuatedWithLateWrites(minute);
    expect(statuses.length).toBeGreaterThan(0);
    for (const status of statuses) expect(status).toBeGreaterThanOrEqual(400);
  });

  test("and does so for minutes: one late write of a version takes effect, and the others are refused", async () => {
    const [first, ...others] = await evacuatedWithLateWrites(7 * minute);
    expect(first).toBe(200);
    expect(others.length).toBeGreaterThan(0);
    for (const status of others) expect(status).toBeGreaterThanOrEqual(400);
  });

  test.each([
    ["read-only", "Unreachable", /could not be changed: .*ETIMEDOUT/],
    [
      "forbidden",
      "Refused",
      /cannot patch resource "machines".*If a right is missing, grant it to Holdfast's account there/,
    ],
    [400, "Refused", /could not be changed: .*"hooks.example.com" denied the request: not on a Friday/],
    [422, "Refused", /could not be changed: .*"hooks.example.com" denied the request: not on a Friday/],
  ] as const)("%s, when a satellite is deleted: it says what is refused and a way out", async (how, reason, why) => {
    await harness.machine("control", "node-4", controlPlane);
    await harness.volume("pvc-1", [node, "node-2"]);
    harness.cutOff(/\/machines\/worker/, how);
    await harness.machine("worker", node);
    await harness.delete(LinstorSatellite, node);
    await admin.says(node, "SatelliteEvacuated", why);
    await harness.clock.advance(5 * minute);
    const said = await message(node);
    expect(said).toMatch(new RegExp(`^Waiting until Machine capi/worker has Holdfast's hooks.*${why.source}`));
    const writes = writesTo(node);
    await harness.clock.advance(20 * minute);
    expect(await message(node)).toBe(said);
    expect(writesTo(node) - writes).toBeLessThan(10);
    expect(harness.calls.evacuate).toEqual([]);
    // What the message advises.
    const [, hook = ""] = /`kubectl annotate machine worker -n capi (.*)=`$/.exec(said) ?? [];
    await harness.merge(Machine, "worker", { metadata: { annotations: { [hook]: "" } } });
    await harness.until("LINSTOR was called", () => harness.calls.evacuate.length > 0);
    harness.cutOff();
    await harness.delete(Machine, "worker");
    await admin.gone(Machine, "worker");
    expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(2);
    expect(harness.failures.splice(0).filter((one) => !/grant it to Holdfast's account/.test(one))).toEqual([]);
    const events = (await Array.fromAsync(harness.client.list(Event))).map((event) => event.reason);
    expect(events).not.toContain(`ClusterAPI${reason}`);
  });

  test("for writes, and back, when a satellite is deleted: its evacuation begins with the next tick", async () => {
    await harness.machine("control", "node-4", controlPlane);
    harness.cutOff(/\/machines\/worker/, "forbidden");
    await harness.machine("worker", node);
    await harness.delete(LinstorSatellite, node);
    await admin.says(node, "SatelliteEvacuated", /cannot patch resource "machines"/);
    await harness.clock.advance(20 * minute);
    harness.cutOff();
    await harness.clock.advance(minute);
    expect(harness.calls.evacuate).toEqual([node]);
    harness.failures.splice(0);
  });

  test("an evacuation waits for it, says so, and goes on", async () => {
    await admin.hookedMachine(node);
    await harness.volume("pvc-1", [node, "node-2"], { attached: node });
    await harness.delete(Machine, "worker");
    await admin.says(node, "SatelliteEvacuated", /to reattach/);
    harness.cutOff(managementCluster);
    await admin.says(node, "SatelliteEvacuated", /waits for Cluster API, which has been away since 20/);
    harness.cutOff();
    await admin.cordon(node);
    await admin.gone(Machine, "worker");
  });
});

proveTheseAreMade("satellite", asked, writesMade["outages.test.ts"]);

describe("a webhook denies what Holdfast writes to", () => {
  test.each([
    ["volumes, which are not marked", "satellite.mark", /\/persistentvolumes\//, "PersistentVolume pvc-1", 403],
    ["volumes, with another status", "satellite.mark", /\/persistentvolumes\//, "PersistentVolume pvc-1", 422],
    ["volumes, which it does not judge", "satellite.mark", /\/persistentvolumes\//, "PersistentVolume pvc-1", 500],
  ] as const)("%s: the satellite says so in few writes, and goes on", async (_, rule, paths, what, status) => {
    await harness.volume("pvc-1", [node, "node-2"], { attached: node });
    harness.cutOff(paths, status);
    await harness.delete(LinstorSatellite, node);
    const awayOf = () => admin.annotation(node, away);
    const away = `holdfast.dev/${rule}.away`;
    await harness.until("the satellite says so", awayOf);
    const said = await awayOf();
    expect(said).toContain("waits for Kubernetes since 20");
    expect(said).toMatch(new RegExp(`${what} could not be changed: .*hooks.example.com`));
    await harness.clock.advance(minute);
    const [writes, dead] = [writesTo(node), harness.failures.length];
    await harness.clock.advance(20 * minute);
    expect(await awayOf()).toBe(said);
    expect(writesTo(node) - writes).toBeLessThan(10);
    expect(harness.failures.length).toBe(dead);
    harness.cutOff();
    await admin.says(node, "SatelliteEvacuated", /to reattach/);
    expect(await awayOf()).toBeUndefined();
    harness.failures.splice(0);
  });

  test("the DaemonSet of a satellite: the satellite says so, and its workload follows afterwards", async () => {
    harness.cutOff(/\/daemonsets\//, 400);
    const key = "holdfast.dev/satellite.apply-daemonset.away";
    const awayOf = () => admin.annotation(node, key);
    const spec = { hostNetwork: true };
    await admin.configureOnly(node, { podTemplate: { spec } });
    await harness.until("the satellite says so", awayOf);
    expect(await awayOf()).toMatch(/DaemonSet linstor-satellite.node-1 could not be changed: .*not on a Friday/);
    await harness.clock.advance(20 * minute);
    harness.cutOff();
    await harness.clock.advance(2 * minute);
    expect(await harness.client.get(DaemonSet, workloads, daemonSetName(node))).toMatchObject({
      spec: { template: { spec } },
    });
    expect(await awayOf()).toBeUndefined();
    harness.failures.splice(0);
  });
});
