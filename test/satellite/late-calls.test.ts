import { expect, test } from "vitest";
import { LinstorSatellite } from "../../functions/satellite/lib/kinds.ts";
import { addressOf } from "./harness.ts";
import { admin, harness, withHarness } from "./with-harness.ts";

const node = "node-1";
const minutes = 60_000;

withHarness();

/** The first call to remove a node takes effect so late (milliseconds); nothing listens any more by then. */
function delayFirstRemoval(late: number): () => number {
  let calls = 0;
  harness.answerLinstor(async (request, send) => {
    if (request.method === "DELETE" && calls++ === 0) await harness.clock.sleep(late);
    return send(request);
  });
  return () => calls;
}

/** A volume of one copy on the node that has come again. */
async function placeVolume(): Promise<void> {
  await harness.until("the node is configured again", async () => {
    return (await harness.condition(node, "Configured"))?.status === "True";
  });
  await harness.volume("pvc-new", [node]);
}

test("a DELETE that LINSTOR carries out late leaves a node that was made again alone", async () => {
  const calls = delayFirstRemoval(230_000);
  await harness.delete(LinstorSatellite, node);
  await harness.until("LINSTOR was called to delete the node", () => calls() > 0);
  await admin.says(node, "SatelliteDeleted", /may still take effect until/);
  await admin.replaced(node);
  await placeVolume();
  await harness.clock.advance(10 * minutes);
  expect(harness.linstor.goodCopies("pvc-new")).toEqual([node]);
});

test("the same where the policy becomes Retain while the DELETE is on its way", async () => {
  const calls = delayFirstRemoval(230_000);
  await harness.delete(LinstorSatellite, node);
  await harness.until("LINSTOR was called to delete the node", () => calls() > 0);
  await admin.setPolicy(node, "Retain");
  await admin.replaced(node);
  await placeVolume();
  await harness.clock.advance(10 * minutes);
  expect(harness.linstor.goodCopies("pvc-new")).toEqual([node]);
});

test.each([
  ["is deleted", undefined],
  ["is given up under the policy Delete", "Delete"],
] as const)("a node that %s late: the same where the clock of the caller is 20 minutes ahead", async (_, policy) => {
  if (policy) await admin.setPolicy(node, policy);
  const calls = delayFirstRemoval(230_000);
  harness.setClock(20 * minutes);
  await harness.delete(LinstorSatellite, node);
  if (policy) harness.linstor.stopSatellite(addressOf(node));
  await harness.until("LINSTOR was called to remove the node", () => calls() > 0);
  harness.setClock(0);
  const called = harness.clock.now();
  await admin.says(node, "SatelliteDeleted", /may still take effect until/);
  await admin.replaced(node);
  expect(harness.clock.now() - called).toBeLessThan(16 * minutes);
  await placeVolume();
  await harness.clock.advance(30 * minutes);
  expect(harness.linstor.goodCopies("pvc-new")).toEqual([node]);
});

test("a late `lost` under the policy Delete leaves a node that was made again alone", async () => {
  await admin.setPolicy(node, "Delete");
  const calls = delayFirstRemoval(230_000);
  await admin.taint(node, "NoExecute");
  harness.linstor.stopSatellite(addressOf(node));
  await harness.until("LINSTOR was called to give the node up", () => calls() > 0);
  // A person gives it up by hand meanwhile.
  await admin.ask("DELETE", `/v1/nodes/${node}/lost`);
  await admin.untaint(node);
  await admin.replaced(node);
  await placeVolume();
  harness.linstor.stopSatellite(addressOf(node));
  await harness.clock.advance(10 * minutes);
  expect(harness.linstor.goodCopies("pvc-new")).toEqual([node]);
});

test("a DELETE whose answer is lost ends the evacuation, also where another satellite is OFFLINE then", async () => {
  await harness.volume("pvc-1", [node, "node-2"]);
  harness.answerLinstor(async (request, send) => {
    const answer = await send(request);
    if (request.method === "DELETE") throw new Error("socket hang up");
    return answer;
  });
  await harness.delete(LinstorSatellite, node);
  await harness.until("LINSTOR has deleted the node", async () => !(await admin.isListed(node)));
  harness.linstor.stopSatellite(addressOf("node-2"));
  await admin.replaced(node);
  expect(harness.history.filter((line) => line.includes("person has removed"))).toEqual([]);
});

test("a DELETE that LINSTOR answers at once keeps the satellite no longer", async () => {
  await harness.delete(LinstorSatellite, node);
  const deleted = harness.clock.now();
  await admin.replaced(node);
  expect(harness.clock.now() - deleted).toBeLessThan(2 * minutes);
});

test("an evacuation that LINSTOR begins late is over before another node is evacuated", async () => {
  await harness.volume("pvc-1", [node, "node-2"]);
  const order: string[] = [];
  harness.answerLinstor(async (request, send) => {
    if (!request.path.endsWith("/evacuate")) return send(request);
    const isFirst = order.push("asked") === 1;
    if (isFirst) await harness.clock.sleep(230_000);
    order.push("carried out");
    return send(request);
  });
  for (const name of [node, "node-2"]) await admin.taint(name, "NoExecute");
  await harness.until("LINSTOR was called twice", () => order.length >= 4);
  expect(order.slice(0, 4)).toEqual(["asked", "carried out", "asked", "carried out"]);
  await harness.clock.advance(5 * minutes);
  expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(2);
});

test.each([
  ["", 0],
  [", also where the clock of its caller is 20 minutes ahead", 20],
])("a restore that LINSTOR carries out late does not take back an evacuation%s", async (_, ahead) => {
  await harness.volume("pvc-1", [node, "node-2"]);
  harness.setClock(ahead * minutes);
  const order: string[] = [];
  harness.answerLinstor(async (request, send) => {
    const what = /\/(restore|evacuate)$/.exec(request.path)?.[1];
    if (!what) return send(request);
    if (what === "restore" && order.push("asked") === 1) {
      harness.setClock(0);
      await harness.clock.sleep(230_000);
    }
    order.push(what);
    return send(request);
  });
  await admin.ask("PUT", `/v1/nodes/${node}/evacuate`);
  await harness.merge(LinstorSatellite, node, { metadata: { annotations: { "holdfast.dev/evacuation": "{}" } } });
  // The first call is given up after 150 s, and the second is answered.
  await harness.until("the node is restored", () => order.includes("restore"));
  await harness.delete(LinstorSatellite, node);
  await admin.says(node, "SatelliteEvacuated", /has not answered a call to restore node-1/);
  await admin.replaced(node);
  expect(order.filter((what) => what !== "asked")).toEqual(["restore", "restore", "evacuate"]);
  expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(2);
});

test.each([
  ["once", 1, 2],
  ["each time for a while, though LINSTOR can be read", 4, 8],
])("a DELETE that finds no connection %s is sent again within a tick of the sweep", async (_, refusals, within) => {
  let calls = 0;
  harness.answerLinstor(async (request, send) => {
    if (request.method !== "DELETE" || calls++ >= refusals) return send(request);
    throw Object.assign(new Error("connect ECONNREFUSED"), { unsent: true });
  });
  const deleted = harness.clock.now();
  await harness.delete(LinstorSatellite, node);
  await admin.replaced(node);
  expect(harness.clock.now() - deleted).toBeLessThan(within * minutes);
  // Its note is not made and taken back without end.
  expect(calls).toBe(refusals + 1);
});

test("an evacuation that finds no connection for a while keeps no other waiting, and begins by itself", async () => {
  await harness.volume("pvc-1", [node, "node-2"]);
  const order: string[] = [];
  harness.answerLinstor(async (request, send) => {
    const [, name] = /nodes\/([^/]+)\/evacuate$/.exec(request.path) ?? [];
    if (name === undefined || order.push(name) > 3) return send(request);
    throw Object.assign(new Error("connect ECONNREFUSED"), { unsent: true });
  });
  const began = harness.clock.now();
  await admin.taint(node, "NoExecute");
  await harness.until("LINSTOR was called twice", () => order.length >= 2);
  await admin.taint("node-4", "NoExecute");
  await harness.until("both are called for", () => order.length >= 5);
  expect(harness.clock.now() - began).toBeLessThan(6 * minutes);
  expect(order.slice(3).sort()).toEqual([node, "node-4"]);
});

test("a DELETE that finds no connection for an hour costs few calls and writes, and one Event", async () => {
  let calls = 0;
  let isBack = false;
  harness.answerLinstor(async (request, send) => {
    if (request.method !== "DELETE" || isBack) return send(request);
    calls++;
    throw Object.assign(new Error("connect ECONNREFUSED"), { unsent: true });
  });
  const requested = (grant: string) =>
    harness.requests.filter((one) => one.account === "satellite-remove" && one.grant === grant).length;
  await harness.delete(LinstorSatellite, node);
  await harness.until("LINSTOR was called", () => calls > 0);
  await harness.clock.advance(60 * minutes);
  expect(calls).toBeLessThan(20);
  expect(requested("patch piraeus.io/linstorsatellites")).toBeLessThan(3 * 20);
  expect(requested("create events.k8s.io/events")).toBe(1);
  isBack = true;
  const back = harness.clock.now();
  await admin.replaced(node);
  expect(harness.clock.now() - back).toBeLessThan(5 * minutes);
});
