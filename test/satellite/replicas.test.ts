import { describe, expect, test } from "vitest";
import {
  DaemonSet,
  daemonSetName,
  LinstorSatellite,
  LinstorSatelliteConfiguration,
  Machine,
} from "../../functions/satellite/lib/kinds.ts";
import { preTerminateHook } from "../../functions/satellite/lib/machine.ts";
import { removalKey } from "../../functions/satellite/lib/noted-calls.ts";
import { recordKey } from "../../functions/satellite/lib/record.ts";
import { csiDriver } from "../../functions/satellite/lib/volumes.ts";
import { Node, PersistentVolume } from "../../shared/kubernetes/kind.ts";
import { persistentVolume } from "../harness/manifest.ts";
import { setStatus } from "../harness/set-status.ts";
import { addressOf, nodes, workloads } from "./harness.ts";
import { admin, harness, withHarness } from "./with-harness.ts";

const node = "node-1";
const minutes = 60_000;

withHarness();

/** A satellite stops, and LINSTOR shows it as OFFLINE. */
async function goesOffline(name = node): Promise<void> {
  harness.linstor.stopSatellite(addressOf(name));
  await harness.until("it is OFFLINE", async () => (await admin.linstorNode(name)).connection_status === "OFFLINE");
}

/** A satellite stops, and a person gives its node up. */
async function isGivenUp(): Promise<void> {
  await goesOffline();
  await admin.ask("DELETE", `/v1/nodes/${node}/lost`);
}

/** The pod of the satellite starts once more, and the satellite is looked at for that. */
async function startsAgain(name: string): Promise<void> {
  harness.linstor.startSatellite(addressOf(name));
  for (const numberReady of [0, 1])
    await setStatus(harness.client, DaemonSet, workloads, daemonSetName(name), { numberReady });
}

/** LINSTOR has no such volume: its database is an older one, or a person has deleted it there. */
const forgets = (volume: string) =>
  harness.answerLinstor(async (request, send) => {
    const response = await send(request);
    if (!/^\/v1\/(resource-definitions|view\/resources)/.test(request.path) || response.status !== 200) return response;
    const listed = (JSON.parse(response.body) as { name: string }[]).filter(({ name }) => name !== volume);
    return { ...response, body: JSON.stringify(listed) };
  });

describe("a satellite that is OFFLINE, with nothing on its node", () => {
  test("goes when its Node is deleted", async () => {
    await harness.volume("pvc-1", ["node-2", "node-3"]);
    await goesOffline();
    await harness.delete(Node, node);
    await admin.gone(LinstorSatellite, node);
    expect(await admin.isListed(node)).toBe(false);
  });

  test("does not hold its Machine", async () => {
    await admin.hookedMachine(node);
    await goesOffline();
    await harness.delete(Machine, "worker");
    await admin.gone(Machine, "worker");
    await admin.gone(LinstorSatellite, node);
  });

  test("goes when LINSTOR has evicted its node", async () => {
    await goesOffline();
    harness.linstor.evict(node);
    await harness.delete(Node, node);
    await admin.gone(LinstorSatellite, node);
    expect(await admin.isListed(node)).toBe(false);
  });
});

describe("a node that a person gives up in LINSTOR in the middle of its evacuation", () => {
  test("keeps its Machine while the last copy of a volume may be on its disks, and names the volume", async () => {
    await admin.hookedMachine(node);
    harness.linstor.addVolume("pvc-1", { copies: [node] });
    await harness.delete(Machine, "worker");
    await harness.until("LINSTOR was called", () => harness.calls.evacuate.length > 0);
    await harness.clock.advance(4_000);
    await isGivenUp();
    // The copy that was being made has lost its source.
    const target = nodes.find((name) => harness.linstor.hasCopy("pvc-1", name)) ?? "";
    harness.linstor.setDisk("pvc-1", target, "Inconsistent");
    await admin.says(node, "SatelliteEvacuated", /does not list the node node-1 any more.*pvc-1 \(0 of 1\)/);
    await harness.clock.advance(5 * minutes);
    expect(await harness.get(Machine, "worker")).toBeDefined();
    harness.linstor.setDisk("pvc-1", target, "UpToDate");
    await admin.gone(Machine, "worker");
  });

  test("is done with where each volume has its copies elsewhere", async () => {
    await admin.hookedMachine(node);
    await harness.volume("pvc-1", [node, "node-2", "node-3"]);
    await harness.delete(Machine, "worker");
    await harness.until("all copies are elsewhere", async () => harness.linstor.goodCopies("pvc-1").length === 4);
    await isGivenUp();
    await admin.gone(Machine, "worker");
    expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(3);
  });
});

test("a node that a person gives up before it is evacuated: its Machine stays until the data is given up", async () => {
  await admin.hookedMachine(node);
  harness.linstor.addVolume("pvc-1", { copies: [node] });
  await goesOffline("node-3");
  await harness.delete(Machine, "worker");
  await admin.says(node, "SatelliteEvacuated", /to become ready: node-3/);
  await isGivenUp();
  await admin.says(node, "SatelliteEvacuated", /^Error: .* was never called to evacuate it: .* of pvc-1 no copy/);
  await harness.clock.advance(10 * minutes);
  expect(await admin.hooksOn("worker")).toContain(preTerminateHook);
  await admin.says(node, "SatelliteEvacuated", /kubectl annotate linstorsatellite node-1 holdfast.dev\/linstor-/);
  await harness.merge(LinstorSatellite, node, { metadata: { annotations: { "holdfast.dev/linstor": null } } });
  await admin.gone(Machine, "worker");
});

test("a node that is given up and registered again: its Machine stays until its data is given up", async () => {
  await admin.hookedMachine(node);
  harness.linstor.addVolume("pvc-1", { copies: [node] });
  harness.linstor.addVolume("pvc-2", { copies: [node, "node-2"] });
  await isGivenUp();
  await startsAgain(node);
  await harness.until("it is registered again", () => admin.isListed(node));
  await admin.says(node, "Available", /is connected/);
  await harness.delete(Machine, "worker");
  await admin.says(node, "SatelliteEvacuated", /^Error: .* node-1 .* registered again.* of pvc-1 no copy is UpToDate/);
  await harness.clock.advance(10 * minutes);
  expect(await admin.hooksOn("worker")).toContain(preTerminateHook);
  await admin.says(node, "SatelliteEvacuated", /kubectl annotate linstorsatellite node-1 holdfast.dev\/linstor-/);
  await harness.merge(LinstorSatellite, node, { metadata: { annotations: { "holdfast.dev/linstor": null } } });
  await admin.gone(Machine, "worker");
});

test.each([
  ["Evacuate", /^Error: The annotation .* is damaged/],
  ["Retain", /^Error: Machine worker is not shut down\. The annotation .* is damaged/],
])("under %s, a damaged record holds the Machine of a node that a person gives up", async (policy, message) => {
  await admin.hookedMachine(node);
  harness.linstor.addVolume("pvc-1", { copies: [node] });
  await harness.delete(Machine, "worker");
  await harness.until("LINSTOR was called", () => harness.calls.evacuate.length > 0);
  await harness.clock.advance(4_000);
  const written = (await admin.annotation(node, recordKey)) ?? "{}";
  const record = JSON.stringify({ ...JSON.parse(written), before: { "pvc-1": { good: 1 } } });
  await harness.merge(LinstorSatellite, node, { metadata: { annotations: { [recordKey]: record } } });
  await admin.says(node, "SatelliteEvacuated", /is damaged/);
  if (policy !== "Evacuate") await admin.setPolicy(node, policy);
  await isGivenUp();
  const target = nodes.find((name) => harness.linstor.hasCopy("pvc-1", name)) ?? "";
  harness.linstor.setDisk("pvc-1", target, "Inconsistent");
  await harness.clock.advance(10 * minutes);
  expect(await admin.hooksOn("worker")).toContain(preTerminateHook);
  await admin.says(node, "SatelliteEvacuated", message);
});

test("a node that was retained, given up and made again: its Machine stays until its data is given up", async () => {
  harness.linstor.addVolume("pvc-1", { copies: [node] });
  harness.linstor.addVolume("pvc-2", { copies: [node, "node-2"] });
  // What LINSTOR keeps of a deleted volume that has snapshots.
  harness.linstor.addVolume("pvc-3", { copies: [] });
  await harness.clock.advance(15 * minutes);
  await admin.setPolicy(node, "Retain");
  await admin.taint(node, "NoExecute");
  await admin.gone(LinstorSatellite, node);
  await isGivenUp();
  // Only now: the harness watches that no volume loses its last copy, and a person has just done that.
  for (const name of ["pvc-1", "pvc-2"]) {
    const spec = { claimRef: { namespace: "default", name }, csi: { driver: csiDriver, volumeHandle: name } };
    await harness.create(PersistentVolume, persistentVolume({ name }, spec));
  }
  await harness.delete(LinstorSatelliteConfiguration, `only-${node}`);
  await admin.untaint(node);
  await admin.says(node, "Available", /is connected/);
  await admin.hookedMachine(node);
  await harness.delete(Machine, "worker");
  await admin.says(node, "SatelliteEvacuated", /too few copies are UpToDate elsewhere: pvc-1 \(0 of 1\)/);
  await harness.clock.advance(10 * minutes);
  expect(await admin.hooksOn("worker")).toContain(preTerminateHook);
  // What the message advises.
  await admin.says(node, "SatelliteEvacuated", /only to give the data up, delete the volume/);
  forgets("pvc-1");
  await harness.delete(PersistentVolume, "pvc-1");
  await admin.gone(Machine, "worker");
});

test("a call under Delete that was refused does not excuse a person who gives the node up under Evacuate", async () => {
  await goesOffline("node-3");
  await admin.setPolicy(node, "Delete");
  harness.linstor.addVolume("pvc-1", { copies: [node] });
  // It is connected again when LINSTOR takes the call.
  const connected = '[{"ret_code":-4611686018427387398,"message":"Node \'node-1\' still connected."}]';
  harness.answerLinstor(async (request, send) => {
    if (!request.path.endsWith("/lost")) return send(request);
    harness.linstor.startSatellite(addressOf(node));
    await harness.clock.sleep(20_000);
    return { status: 500, headers: { "content-type": "application/json" }, body: connected };
  });
  const note = () => admin.annotation(node, removalKey);
  await admin.taint(node, "NoExecute");
  await harness.until("LINSTOR was called", note);
  await harness.until("it is connected", async () => (await admin.linstorNode(node)).connection_status === "ONLINE");
  await harness.until("the note is gone", async () => !(await note()));
  harness.answerLinstor();
  await harness.merge(LinstorSatellite, node, { spec: { deletionPolicy: "Evacuate" } });
  await admin.says(node, "SatelliteEvacuated", /to become ready: node-3/);
  await isGivenUp();
  await admin.says(node, "SatelliteEvacuated", /^Error: .* was never called to evacuate it: .* of pvc-1 no copy/);
  expect(await harness.get(LinstorSatellite, node)).toBeDefined();
});

describe("a LINSTOR that does not list a volume of the cluster", () => {
  test("is not believed: the Machine stays until LINSTOR has its newer database again", async () => {
    await admin.hookedMachine(node);
    await harness.volume("pvc-1", [node]);
    await harness.volume("pvc-2", ["node-2", "node-3"]);
    forgets("pvc-1");
    await harness.delete(Machine, "worker");
    await admin.says(node, "SatelliteEvacuated", /^Error: The LINSTOR at .* does not list pvc-1, .* older/);
    await harness.clock.advance(10 * minutes);
    expect(await admin.hooksOn("worker")).toContain(preTerminateHook);
    expect(harness.calls.evacuate).toEqual([]);
    harness.answerLinstor();
    await admin.gone(Machine, "worker");
    expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(1);
  });

  test("is one again when a person, who has deleted the volume there, deletes the PersistentVolume", async () => {
    await admin.hookedMachine(node);
    await harness.volume("pvc-1", ["node-2"]);
    await harness.volume("pvc-2", ["node-2", "node-3"]);
    forgets("pvc-1");
    await harness.delete(Machine, "worker");
    await admin.says(node, "SatelliteEvacuated", /^Error: .*\(`kubectl delete persistentvolume NAME --wait=false`\)/);
    await harness.delete(PersistentVolume, "pvc-1");
    await admin.gone(Machine, "worker");
  });
});

describe("the policy is set to Retain in the middle of an evacuation", () => {
  async function retainInTheMiddle(copies: readonly string[]): Promise<void> {
    await admin.hookedMachine(node);
    await harness.volume("pvc-1", copies);
    await harness.delete(Machine, "worker");
    await harness.until("LINSTOR was called", () => harness.calls.evacuate.length > 0);
    await harness.clock.advance(4_000);
    await admin.setPolicy(node, "Retain");
  }

  test("the Machine goes once the copy that is being made elsewhere is UpToDate", async () => {
    await retainInTheMiddle([node]);
    await admin.says(node, "SatelliteEvacuated", /Machine worker is not shut down: .* UpToDate copy of pvc-1/);
    expect(harness.linstor.goodCopies("pvc-1")).toEqual([node]);
    await admin.gone(Machine, "worker");
    expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(1);
    expect(harness.linstor.goodCopies("pvc-1")).not.toContain(node);
  });

  test("the Machine stays while no copy is made, until a person takes the hook off as the message says", async () => {
    await admin.hookedMachine(node);
    harness.linstor.addVolume("pvc-1", { copies: [node] });
    for (const name of nodes.slice(1)) await admin.ask("PUT", `/v1/nodes/${name}`, autoplace("no"));
    await harness.delete(Machine, "worker");
    await harness.until("LINSTOR was called", () => harness.calls.evacuate.length > 0);
    await admin.setPolicy(node, "Retain");
    const hint = `kubectl annotate machine worker -n capi ${preTerminateHook}-`;
    await admin.says(node, "SatelliteEvacuated", new RegExp(hint));
    await harness.clock.advance(20 * minutes);
    expect(await admin.hooksOn("worker")).toEqual([preTerminateHook]);
    await harness.merge(Machine, "worker", { metadata: { annotations: { [preTerminateHook]: null } } });
    await admin.gone(Machine, "worker");
  });

  test("the Machine stays while LINSTOR answers without its database", async () => {
    await admin.hookedMachine(node);
    await harness.volume("pvc-1", [node]);
    await goesOffline("node-3");
    await harness.delete(Machine, "worker");
    await admin.says(node, "SatelliteEvacuated", /to become ready: node-3/);
    harness.answerLinstor(async (request, send) => {
      const path = request.path.split("?")[0] ?? "";
      if (/^\/v1\/(nodes|view\/resources|view\/snapshots|resource-(definitions|groups))$/.test(path))
        return { ...(await send(request)), body: "[]" };
      return send(path === `/v1/nodes/${node}` ? { ...request, path: "/v1/nodes/unknown" } : request);
    });
    await admin.setPolicy(node, "Retain");
    await harness.clock.advance(5 * minutes);
    expect(await admin.hooksOn("worker")).toContain(preTerminateHook);
    await admin.says(node, "SatelliteEvacuated", /Machine worker is not shut down\. .* lists none of the volumes/);
    harness.answerLinstor();
    await admin.says(node, "SatelliteEvacuated", /Machine worker is not shut down: .* UpToDate copy of pvc-1/);
  });

  test("two Machines that hold each other's only copies both stay", async () => {
    await admin.hookedMachine(node);
    await harness.machine("second", "node-2");
    await admin.hooked("second");
    await harness.volume("pvc-1", [node, "node-2"]);
    await goesOffline("node-3");
    for (const name of ["worker", "second"]) await harness.delete(Machine, name);
    for (const name of [node, "node-2"]) await admin.says(name, "SatelliteEvacuated", /to become ready: node-3/);
    await harness.merge(LinstorSatelliteConfiguration, "000-harness", { spec: { deletionPolicy: "Retain" } });
    await harness.clock.advance(10 * minutes);
    for (const name of ["worker", "second"]) expect(await admin.hooksOn(name)).toContain(preTerminateHook);
    await admin.says(node, "SatelliteEvacuated", /no other node that is online and stays has .* copy of pvc-1/);
  });

  test("a Machine stays that holds the only other copy of one that was released and still runs", async () => {
    await admin.hookedMachine(node);
    await harness.merge(Machine, "worker", {
      metadata: { annotations: { "pre-terminate.delete.hook.machine.cluster.x-k8s.io/other": "" } },
    });
    await harness.machine("second", "node-2");
    await admin.hooked("second");
    await harness.volume("pvc-1", [node, "node-2"]);
    await goesOffline("node-3");
    await harness.delete(Machine, "worker");
    await admin.says(node, "SatelliteEvacuated", /to become ready: node-3/);
    await admin.setPolicy(node, "Retain");
    await harness.until("it is released", async () => (await admin.hooksOn("worker")).length === 0);
    await harness.delete(Machine, "second");
    await admin.says("node-2", "SatelliteEvacuated", /to become ready: node-3/);
    await admin.setPolicy("node-2", "Retain");
    await harness.clock.advance(10 * minutes);
    expect(await admin.hooksOn("second")).toContain(preTerminateHook);
  });

  const autoplace = (value: string) => ({ override_props: { AutoplaceTarget: value } });
});

test("a stale copy is not given to LINSTOR to delete while the place count asks for it", async () => {
  await harness.volume("pvc-1", [node, "node-2"]);
  harness.linstor.setDisk("pvc-1", node, "Outdated");
  await admin.taint(node, "NoExecute");
  await admin.says(node, "SatelliteEvacuated", /too few would be left: pvc-1 \(1 of 2\)/);
  await harness.clock.advance(5 * minutes);
  expect(harness.calls.evacuate).toEqual([]);
  harness.linstor.setDisk("pvc-1", node, "UpToDate");
  await admin.gone(LinstorSatellite, node);
  expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(2);
});
