import { describe, expect, test } from "vitest";
import { LinstorSatellite, Machine } from "../../functions/satellite/lib/kinds.ts";
import { recordKey } from "../../functions/satellite/lib/record.ts";
import { Event, PersistentVolume, Pod } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { waitingLabel } from "../../shared/progress.ts";
import { proveTheseAreMade } from "../scenarios/rights.ts";
import type { Administrator } from "./administrator.ts";
import { addressOf, type SatelliteBed, workloads } from "./bed.ts";
import { onBed } from "./on-bed.ts";
import { writesMade } from "./writes-made.ts";

let bed: SatelliteBed;
let admin: Administrator;
const node = "node-1";
const minute = 60_000;
const managementCluster = /cluster\.x-k8s\.io/;
const controlPlane = { labels: { "cluster.x-k8s.io/control-plane": "" } };

const asked = onBed((opened, administrator) => {
  bed = opened;
  admin = administrator;
});

const message = async (name: string) => (await bed.condition(name, "SatelliteEvacuated"))?.message ?? "";
const isConfigured = async (name: string) => (await bed.condition(name, "Configured"))?.status === "True";
/** How often a function has written to the satellite. */
const writesTo = (name: string) => bed.history.filter((line) => line.endsWith(`/linstorsatellites/${name}`)).length;

async function withMachine(): Promise<void> {
  await bed.machine("control", "node-4", controlPlane);
  await bed.machine("worker", node);
  await admin.hooked("worker");
}

describe("LINSTOR is away", () => {
  test("when a Machine is deleted: the satellite says so, and the evacuation begins when LINSTOR is back", async () => {
    await withMachine();
    await bed.volume("pvc-1", [node, "node-2"]);
    bed.linstor.stopController();
    await bed.delete(Machine, "worker");
    await admin.says(node, "SatelliteEvacuated", /waits for LINSTOR, which has been away since 20/);
    const { labels } = (await bed.get(LinstorSatellite, node))?.metadata ?? {};
    expect(labels).toMatchObject({ [waitingLabel]: "true" });
    await bed.clock.advance(10 * minute);
    expect(bed.calls.evacuate).toEqual([]);
    bed.linstor.startController();
    await bed.clock.advance(3 * minute);
    expect(bed.calls.evacuate).toEqual([node]);
    await admin.gone(Machine, "worker");
  });

  test("while copies are made: the condition says since when, few writes tell of it, and it goes on", async () => {
    await bed.volume("pvc-1", [node, "node-2"]);
    await admin.taint(node, "NoExecute");
    await admin.says(node, "SatelliteEvacuated", /remaining resources/);
    bed.linstor.stopController();
    const from = new Date(bed.clock.now()).toISOString().slice(0, 15);
    await bed.clock.advance(minute);
    const said = await message(node);
    expect(said).toContain(`waits for LINSTOR, which has been away since ${from}`);
    const writes = writesTo(node);
    await bed.clock.advance(20 * minute);
    expect(await message(node)).toBe(said);
    expect(writesTo(node) - writes).toBeLessThan(30);
    bed.linstor.startController();
    await admin.gone(LinstorSatellite, node);
    expect(bed.linstor.goodCopies("pvc-1")).toHaveLength(2);
  });

  test("and back: that all nodes are OFFLINE for a moment is no reason to give anything up", async () => {
    await bed.volume("pvc-1", [node, "node-2"]);
    await bed.delete(LinstorSatellite, node);
    await admin.says(node, "SatelliteEvacuated", /remaining resources/);
    bed.answerLinstor(async (request, send) => {
      const answer = await send(request);
      return { ...answer, body: answer.body.replaceAll('"ONLINE"', '"OFFLINE"') };
    });
    await admin.says(node, "SatelliteEvacuated", /connected with none of its 4 satellites/);
    expect(bed.history.filter((line) => /EvacuationStuck|policy to Delete|too few/.test(line))).toEqual([]);
    bed.answerLinstor();
    await admin.replaced(node);
  });
});

describe("a satellite that cannot be judged", () => {
  test("keeps the wait for a broken neighbour of another evacuation from nothing", async () => {
    await bed.volume("pvc-1", [node, "node-4"]);
    await admin.configureOnly("node-3", { properties: [{ name: "Aux/x", valueFrom: { nodeFieldRef: "metadata" } }] });
    await bed.until("node-3 is not configured", async () => !(await isConfigured("node-3")));
    const { props } = (await admin.linstorNode("node-2")) as never as { props: Record<string, string> };
    const mine = Object.keys(props).filter((key) => key.startsWith("Aux/piraeus.io/"));
    await admin.ask("PUT", "/v1/nodes/node-2", { delete_props: mine });
    await bed.delete(LinstorSatellite, "node-2");
    await admin.says("node-2", "SatelliteEvacuated", /^Error: LINSTOR has a node node-2, and nothing says/);
    await bed.delete(LinstorSatellite, node);
    await admin.says(node, "SatelliteEvacuated", /to become ready: node-3\./);
    const { annotations = {} } = (await bed.get(LinstorSatellite, node))?.metadata ?? {};
    expect(annotations["holdfast.dev/evacuation"]).toContain('"awaited"');
  });
});

describe("a satellite that is OFFLINE in the middle of its evacuation", () => {
  test("is said at once, and the way that gives its data up only when that lasts", async () => {
    await bed.volume("pvc-1", [node, "node-2"]);
    await bed.delete(LinstorSatellite, node);
    await admin.says(node, "SatelliteEvacuated", /remaining resources/);
    const events = async () =>
      (await Array.fromAsync(bed.client.list<KubernetesObject & { reason: string }>(Event))).map(
        ({ reason }) => reason,
      );
    bed.linstor.stopSatellite(addressOf(node));
    await admin.says(node, "SatelliteEvacuated", /^Waiting.*is OFFLINE in LINSTOR, so that .* from it\.$/);
    await bed.clock.advance(minute);
    expect(await message(node)).not.toMatch(/Error|Delete/);
    expect(await events()).not.toContain("EvacuationStuck");
    await admin.says(node, "SatelliteEvacuated", /^Error: .*set the deletion policy to Delete/);
    expect(await events()).toContain("EvacuationStuck");
    bed.linstor.startSatellite(addressOf(node));
    await admin.replaced(node);
  });
});

describe("a neighbour that LINSTOR is not connected with", () => {
  test("is waited for, whatever its condition says from before", async () => {
    await bed.volume("pvc-1", [node, "node-2"]);
    bed.linstor.stopSatellite(addressOf("node-3"));
    await bed.clock.advance(10 * minute);
    expect(await isConfigured("node-3")).toBe(true);
    await bed.delete(LinstorSatellite, node);
    await admin.says(node, "SatelliteEvacuated", /Waiting for LinstorSatellites to become ready: node-3\./);
    await bed.clock.advance(minute);
    expect(bed.calls.evacuate).toEqual([]);
    bed.linstor.startSatellite(addressOf("node-3"));
    await bed.clock.advance(minute);
    expect(bed.calls.evacuate).toEqual([node]);
  });
});

test("a volume that is Released, and still attached, is neither marked nor waited for", async () => {
  await bed.volume("pvc-1", [node, "node-2"], { attached: node, bound: true });
  await bed.merge(PersistentVolume, "pvc-1", { status: { phase: "Released" } }, "status");
  await bed.delete(LinstorSatellite, node);
  await bed.until("LINSTOR was called", () => bed.calls.evacuate.length > 0);
  expect(await admin.marks("pvc-1", node)).toEqual([]);
});

test("an evacuation that was given up, whose node LINSTOR does not list any more, is forgotten", async () => {
  const uid = (await bed.get(LinstorSatellite, node))?.metadata.uid;
  bed.linstor.stopSatellite(addressOf(node));
  await bed.clock.advance(10_000);
  await admin.ask("DELETE", `/v1/nodes/${node}/lost`);
  const record = { v: 1, uid, begun: new Date(bed.clock.now()).toISOString() };
  await bed.merge(LinstorSatellite, node, { metadata: { annotations: { [recordKey]: JSON.stringify(record) } } });
  await bed.until("it is forgotten", async () => {
    const { annotations = {} } = (await bed.get(LinstorSatellite, node))?.metadata ?? {};
    return annotations[recordKey] === undefined;
  });
  bed.linstor.startSatellite(addressOf(node));
  await bed.until("it is registered again", () => admin.isListed(node));
});

describe("the management cluster is away", () => {
  test("a satellite with the policy Retain goes", async () => {
    await withMachine();
    await admin.setPolicy(node, "Retain");
    await bed.until("the Machine is free", async () => (await admin.hooksOn("worker")).length === 0);
    bed.cutOff(managementCluster);
    const uid = (await bed.get(LinstorSatellite, node))?.metadata.uid;
    await admin.taint(node, "NoExecute");
    await bed.until("it is gone", async () => (await bed.get(LinstorSatellite, node))?.metadata.uid !== uid);
    bed.cutOff();
  });

  test("a satellite with the policy Retain whose Machine carries our hooks stays, and says what is away", async () => {
    await withMachine();
    bed.cutOff(managementCluster);
    await admin.setPolicy(node, "Retain");
    await admin.taint(node, "NoExecute");
    await bed.clock.advance(2 * minute);
    const { annotations = {} } = (await bed.get(LinstorSatellite, node))?.metadata ?? {};
    expect(annotations["holdfast.dev/satellite.retain.away"]).toMatch(/waits for Cluster API since 20/);
    bed.cutOff();
    await admin.gone(LinstorSatellite, node);
    expect(await admin.hooksOn("worker")).toEqual([]);
  });

  test("a satellite whose pod has a new address is connected again", async () => {
    await withMachine();
    bed.cutOff(managementCluster);
    bed.linstor.stopSatellite(addressOf(node));
    const status = { podIP: "10.0.0.77", podIPs: [{ ip: "10.0.0.77" }] };
    await bed.client.patch(Pod, workloads, `satellite-${node}`, "merge", { status }, { subresource: "status" });
    bed.linstor.startSatellite("10.0.0.77");
    await bed.merge(LinstorSatellite, node, { metadata: { annotations: { touched: "yes" } } });
    const available = await bed.condition(node, "Available");
    if (available?.status === "True") await bed.merge(LinstorSatellite, node, { status: { conditions: [] } }, "status");
    await bed.until("LINSTOR is connected", async () => (await admin.linstorNode(node)).connection_status === "ONLINE");
    bed.cutOff();
  });

  test("an evacuation waits while it serves no Machines for a moment, and nothing is taken back", async () => {
    await withMachine();
    await bed.volume("pvc-1", [node, "node-2"]);
    await bed.delete(Machine, "worker");
    await bed.until("LINSTOR was called", () => bed.calls.evacuate.length > 0);
    bed.cutOff(/^\/apis\/cluster\.x-k8s\.io/, "not found");
    await admin.says(node, "SatelliteEvacuated", /waits for Cluster API, .* serves no Machines/);
    await bed.clock.advance(2 * minute);
    const { annotations = {} } = (await bed.get(LinstorSatellite, node))?.metadata ?? {};
    expect(annotations[recordKey]).toBeDefined();
    expect((await admin.linstorNode(node)).flags).toEqual(["EVACUATE"]);
    bed.cutOff();
    await admin.gone(Machine, "worker");
  });

  test("an evacuation waits for it, says so, and goes on", async () => {
    await withMachine();
    await bed.volume("pvc-1", [node, "node-2"], { attached: node });
    await bed.delete(Machine, "worker");
    await admin.says(node, "SatelliteEvacuated", /to reattach/);
    bed.cutOff(managementCluster);
    await admin.says(node, "SatelliteEvacuated", /waits for Cluster API, which has been away since 20/);
    bed.cutOff();
    await admin.cordon(node);
    await admin.gone(Machine, "worker");
  });
});

proveTheseAreMade("satellite", asked, writesMade["outages.test.ts"]);
