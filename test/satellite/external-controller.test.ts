import { describe, expect, test } from "vitest";
import { LinstorCluster, LinstorSatellite, Machine } from "../../functions/satellite/lib/kinds.ts";
import { linstorKey, readNote } from "../../functions/satellite/lib/linstor-note.ts";
import { preDrainHook, preTerminateHook } from "../../functions/satellite/lib/machine.ts";
import { recordKey } from "../../functions/satellite/lib/record.ts";
import { marksOn } from "../../functions/satellite/lib/volumes.ts";
import type { LinstorStandIn } from "../../local/linstor/linstor.ts";
import { outcomeOf } from "../../local/time/testing/outcome-of.ts";
import { Node, PersistentVolume } from "../../shared/kubernetes/kind.ts";
import { proveTheseAreMade } from "../scenarios/rights.ts";
import { controlPlane } from "./administrator.ts";
import { linstorUrl } from "./harness.ts";
import { admin, harness, withHarness } from "./with-harness.ts";
import { writesMade } from "./writes-made.ts";

const node = "node-1";
const external = "https://linstor.example.com:3371";
const elsewhere = "http://other.example.com:3370";

const lead = (url: string | null, cluster = "linstorcluster") =>
  harness.merge(LinstorCluster, cluster, { spec: { externalController: url === null ? null : { url } } });
const hooks = async (name: string) => Object.keys((await harness.get(Machine, name))?.metadata.annotations ?? {});
const noted = async () =>
  readNote((await harness.get(LinstorSatellite, node)) ?? ({ metadata: { name: node } } as never));
const calledAt = (root: string) => (harness.asked.get(root) ?? []).filter((request) => !request.startsWith("GET "));
const gone = (name = node) =>
  harness.until(`${name} is gone`, async () => !(await harness.get(LinstorSatellite, name)));
const stuck = (pattern: RegExp) =>
  harness.until("it is stuck", async () => {
    const { reason, message = "" } = (await harness.condition(node, "SatelliteEvacuated")) ?? {};
    return reason === "Error" && pattern.test(message);
  });
/** Until LINSTOR copies what is on the node. */
const copying = () => harness.until("LINSTOR copies", () => harness.calls.evacuate.includes(node));

/** A LINSTOR that has heard of volumes of the cluster, as a copy of its own has. */
function lookalike(root: string, volumes: readonly string[]): LinstorStandIn {
  const made = harness.another(root);
  for (const name of volumes) made.addVolume(name, { copies: [] });
  return made;
}

/** A second LinstorCluster with three Nodes, whose LINSTOR is elsewhere; when all satellites are configured. */
async function sideBySide(): Promise<LinstorStandIn> {
  const other = lookalike(elsewhere, []);
  const site = (operator: string) => ({
    nodeSelectorTerms: [{ matchExpressions: [{ key: "site", operator }] }],
  });
  await harness.merge(LinstorCluster, "linstorcluster", {
    spec: { nodeAffinity: site("DoesNotExist"), maxConcurrentEvacuations: 1 },
  });
  await harness.create(LinstorCluster, {
    metadata: { name: "second" },
    spec: { nodeAffinity: site("Exists"), externalController: { url: elsewhere }, maxConcurrentEvacuations: 1 },
  });
  for (const name of ["node-5", "node-6", "node-7"])
    await harness.create(Node, { metadata: { name, labels: { site: "two" } }, spec: {} });
  await harness.until("all are configured", async () => {
    const reports = await Promise.all(
      ["node-5", "node-6", "node-7"].map((name) => harness.condition(name, "Configured")),
    );
    return reports.every((one) => one?.status === "True");
  });
  return other;
}

describe("spec.externalController names the satellites' LINSTOR", () => {
  withHarness({ external });

  test("all nine steps are done there, and the one at LINSTOR_URL hears of nothing", async () => {
    await admin.hookedMachine(node);
    await harness.volume("pvc-1", [node, "node-2"], { attached: node, bound: true });
    await harness.delete(Machine, "worker");
    await gone();
    expect(harness.calls.evacuate).toEqual([node]);
    expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(2);
    expect(harness.linstor.goodCopies("pvc-1")).not.toContain(node);
    expect(harness.linstor.nodes()).not.toContain(node);
    expect([...harness.asked.keys()]).toEqual([external]);
  });

  test("no LINSTOR listens there: nothing is asked at LINSTOR_URL instead, and nothing goes", async () => {
    harness.linstor.stopController();
    await harness.delete(LinstorSatellite, node);
    await harness.clock.advance(60_000);
    expect([...harness.asked.keys()]).toEqual([external]);
    expect(await harness.get(LinstorSatellite, node)).toBeDefined();
    harness.linstor.startController();
    await admin.replaced(node);
  });
});

describe("the address changes", () => {
  const asked = withHarness();

  test("while LINSTOR copies: nothing is released or called, and it goes on when that is taken back", async () => {
    const other = lookalike(elsewhere, ["pvc-1"]);
    await admin.hookedMachine(node);
    await harness.volume("pvc-1", [node, "node-2"]);
    await harness.delete(Machine, "worker");
    await copying();
    await lead(elsewhere);
    await stuck(/node-1 has its node in the LINSTOR at http:\/\/linstor-controller\S* and .* does not know that node/);
    await register(other);
    await stuck(/has another node of that name\. Holdfast calls, releases and removes nothing/);
    await lead("http://nobody");
    await stuck(/the one at http:\/\/nobody:3370, which could not be asked about that node/);
    await harness.clock.advance(60_000);
    expect(await hooks("worker")).toContain(preTerminateHook);
    expect(await hooks("worker")).not.toContain(preDrainHook);
    expect(other.nodes()).toContain(node);
    expect(harness.linstor.nodes()).toContain(node);
    expect(calledAt(elsewhere).filter((call) => call.includes(node))).toEqual([]);

    await lead(null);
    await gone();
    expect(harness.linstor.nodes()).not.toContain(node);
    expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(2);
    expect(harness.calls.evacuate).toEqual([node]);
  });

  test("while LINSTOR copies, and it is the same LINSTOR: it goes on there", async () => {
    await harness.volume("pvc-1", [node, "node-2"]);
    await harness.delete(LinstorSatellite, node);
    await copying();
    // The call itself is answered where it was sent.
    await harness.clock.advance(5_000);
    harness.reach(elsewhere);
    await lead(elsewhere);
    await harness.until("it is written down", async () => (await noted())?.url === elsewhere);
    const before = harness.asked.get(linstorUrl)?.length;
    await admin.replaced(node);
    expect(harness.linstor.goodCopies("pvc-1")).not.toContain(node);
    expect(calledAt(elsewhere)).toContain(`DELETE /v1/nodes/${node}`);
    expect(harness.asked.get(linstorUrl)?.length).toBe(before);
  });

  test("and a person gives up what is where it was: it goes without", async () => {
    lookalike(elsewhere, ["pvc-1"]);
    await harness.volume("pvc-1", ["node-2"]);
    await harness.volume("pvc-2", [node, "node-2"]);
    await harness.delete(LinstorSatellite, node);
    await copying();
    await lead(elsewhere);
    await stuck(/its data there is given up: `kubectl annotate linstorsatellite node-1 holdfast.dev\/linstor-`$/);
    await answerOf(harness.linstor, "DELETE", `/v1/nodes/${node}`);
    const over = admin.replaced(node);
    await harness.merge(LinstorSatellite, node, { metadata: { annotations: { [linstorKey]: null } } });
    // What it has a PersistentVolume of is given up, too.
    await stuck(/does not list pvc-2, .* delete the PersistentVolume/);
    await harness.delete(PersistentVolume, "pvc-2");
    await over;
  });

  test("before its evacuation begins: it does not begin, and the Machine is not released", async () => {
    lookalike(elsewhere, ["pvc-1"]);
    await admin.hookedMachine(node);
    await harness.volume("pvc-1", [node, "node-2"], { attached: node });
    await Promise.all([lead(elsewhere), harness.delete(LinstorSatellite, node), harness.delete(Machine, "worker")]);
    await stuck(/does not know that node/);
    await harness.clock.advance(60_000);
    expect(await hooks("worker")).toEqual(expect.arrayContaining([preDrainHook, preTerminateHook]));
    const satellite = await harness.get(LinstorSatellite, node);
    expect(satellite?.metadata.annotations?.[recordKey]).toBeUndefined();
    expect(marksOn((await harness.get(PersistentVolume, "pvc-1"))?.metadata.annotations, node)).toEqual([]);
    expect(harness.calls.evacuate).toEqual([]);
  });

  test("an evacuation that is undone is not taken back in another LINSTOR, and is where it was", async () => {
    const other = lookalike(elsewhere, ["pvc-1"]);
    await register(other);
    const flags = async () => JSON.parse(await answerOf(other, "GET", `/v1/nodes/${node}`)).flags ?? [];
    await answerOf(other, "PUT", `/v1/nodes/${node}/evacuate`);
    await harness.machine("worker", node);
    await admin.hooked("worker");
    await harness.volume("pvc-1", [node, "node-2"]);
    await harness.delete(Machine, "worker");
    await copying();
    await harness.merge(LinstorSatellite, node, { spec: { deletionPolicy: "Retain" } });
    await lead(elsewhere);
    await stuck(/has another node of that name/);
    await harness.clock.advance(60_000);
    expect(await flags()).toContain("EVACUATE");
    expect(calledAt(elsewhere).filter((call) => call.includes(node))).toEqual([]);
  });

  test("of satellites that stay: they are registered there, and evacuated there when they go", async () => {
    const other = lookalike(elsewhere, []);
    await lead(elsewhere);
    await harness.until(
      "it is registered there",
      async () => (await noted())?.url === elsewhere && (await noted())?.node,
    );
    await harness.until("it is configured there", async () => {
      const { status, message = "" } = (await harness.condition(node, "Configured")) ?? {};
      return status === "True" && other.nodes().includes(node) && /as the spec says/.test(message);
    });
    // As a person would who has moved.
    await answerOf(harness.linstor, "DELETE", `/v1/nodes/${node}`);
    const before = harness.asked.get(linstorUrl)?.length;
    await harness.delete(Node, node);
    await harness.delete(LinstorSatellite, node);
    await gone();
    expect(other.nodes()).not.toContain(node);
    expect(harness.asked.get(linstorUrl)?.length).toBe(before);
  });

  test.each([
    [
      "linstor.example.com",
      /^The LinstorCluster .* has spec\.externalController\.url "linstor\.example\.com".* Write an http/,
    ],
    ["https://stranger.example.com:3371", /whose host LINSTOR_HOSTS does not name\..* add stranger\.example\.com to/],
  ])("to %j: no LINSTOR is asked, the Machine waits, and it is said what to write", async (url, said) => {
    await harness.machine("control", "node-4", controlPlane);
    await lead(url);
    const reason = async () => (await harness.condition(node, "HoldfastActive"))?.reason;
    await harness.until("it is said", async () => (await reason()) === "InvalidController");
    expect((await harness.condition(node, "HoldfastActive"))?.message).toMatch(said);
    await harness.machine("worker", node);
    await admin.hooked("worker");
    await harness.volume("pvc-1", [node, "node-2"]);
    await harness.delete(Machine, "worker");
    const before = [...harness.asked].map(([root, requests]) => [root, requests.length]);
    await harness.clock.advance(60_000);
    expect([...harness.asked].map(([root, requests]) => [root, requests.length])).toEqual(before);
    expect(await hooks("worker")).toEqual(expect.arrayContaining([preDrainHook, preTerminateHook]));
    expect(await harness.get(LinstorSatellite, node)).toBeDefined();

    await lead(`${linstorUrl}/`);
    await admin.is(node, "HoldfastActive", "True");
    // As the sweep would later.
    await harness.merge(Machine, "worker", { metadata: { labels: { touched: "yes" } } });
    await gone();
    expect(harness.linstor.goodCopies("pvc-1")).not.toContain(node);
    expect([...harness.asked.keys()]).toEqual([linstorUrl]);
  });

  test("of another LinstorCluster to a host that is not named: its satellites alone wait", async () => {
    for (const name of [node, "node-2", "node-3"])
      await harness.merge(Node, name, { metadata: { labels: { site: "one" } } });
    await harness.merge(LinstorCluster, "linstorcluster", { spec: { nodeSelector: { site: "one" } } });
    const spec = { nodeSelector: { site: "two" }, externalController: { url: "https://stranger.example.com" } };
    await harness.create(LinstorCluster, { metadata: { name: "second" }, spec });
    await harness.create(Node, { metadata: { name: "node-5", labels: { site: "two" } }, spec: {} });
    await admin.is("node-5", "HoldfastActive", "InvalidController");
    await harness.volume("pvc-1", [node, "node-2"]);
    await harness.delete(LinstorSatellite, node);
    await admin.replaced(node);
    expect(harness.linstor.goodCopies("pvc-1")).not.toContain(node);
    expect([...harness.asked.keys()]).toEqual([linstorUrl]);
  });

  test("two LinstorClusters side by side: each has its own LINSTOR, its own neighbours and its own slots", async () => {
    const other = await sideBySide();
    expect([...other.nodes()].sort()).toEqual(["node-5", "node-6", "node-7"]);
    expect([...harness.linstor.nodes()].sort()).toEqual(["node-1", "node-2", "node-3", "node-4"]);
    await harness.volume("pvc-1", [node, "node-2"]);
    await harness.volume("pvc-2", []);
    other.addVolume("pvc-2", { copies: ["node-5", "node-6"] });
    // Of the first, one is not ready and one holds the only slot: neither is any business of the second.
    // Of the Node's metadata as a whole no property can be made.
    await admin.configureOnly("node-3", { properties: [{ name: "Aux/x", valueFrom: { nodeFieldRef: "metadata" } }] });
    const isConfigured = async () => (await harness.condition("node-3", "Configured"))?.status !== "False";
    await harness.until("one is not ready", async () => !(await isConfigured()));
    await harness.delete(LinstorSatellite, node);
    await admin.says(node, "SatelliteEvacuated", /node-3/);
    await harness.delete(LinstorSatellite, "node-5");
    const begun = harness.clock.now();
    await admin.replaced("node-5");
    expect(harness.clock.now() - begun).toBeLessThan(600_000);
    expect([...other.goodCopies("pvc-2")].sort()).toEqual(["node-6", "node-7"]);
    expect(await harness.get(LinstorSatellite, node)).toBeDefined();
    expect(calledAt(linstorUrl).filter((call) => /node-[567]/.test(call))).toEqual([]);
    expect(calledAt(elsewhere).filter((call) => /node-[1234]/.test(call))).toEqual([]);
  });

  test("a call to evacuate that one LINSTOR does not answer keeps no evacuation in the other waiting", async () => {
    const other = await sideBySide();
    await harness.volume("pvc-1", [node, "node-2"]);
    await harness.volume("pvc-2", []);
    other.addVolume("pvc-2", { copies: ["node-5", "node-6"] });
    let unanswered = 0;
    harness.answerLinstor((request, send) => {
      if (!request.path.includes(`${node}/evacuate`)) return send(request);
      unanswered++;
      return Promise.reject(new Error("connect ETIMEDOUT"));
    });
    await harness.delete(LinstorSatellite, node);
    await harness.until("it is called there", async () => unanswered > 0);
    const begun = harness.clock.now();
    await harness.delete(LinstorSatellite, "node-5");
    await admin.replaced("node-5");
    expect(harness.clock.now() - begun).toBeLessThan(300_000);
    expect([...other.goodCopies("pvc-2")].sort()).toEqual(["node-6", "node-7"]);
    expect(unanswered).toBe(1);
    harness.answerLinstor();
  });

  proveTheseAreMade("satellite", asked, writesMade["external-controller.test.ts"]);
});

describe("the address of satellites with the policy Delete changes", () => {
  withHarness({ policy: "Delete" });

  test("one that is being deleted is given up where it was, and nowhere else", async () => {
    const other = lookalike(elsewhere, ["pvc-1"]);
    await register(other);
    await harness.volume("pvc-1", [node, "node-2"]);
    await Promise.all([lead(elsewhere), harness.delete(LinstorSatellite, node)]);
    await harness.until("it is said", async () => {
      const { reason, message = "" } = (await harness.condition(node, "SatelliteDeleted")) ?? {};
      return reason === "Error" && /^Error: LinstorSatellite node-1 has its node in the LINSTOR at/.test(message);
    });
    await harness.clock.advance(60_000);
    expect(await harness.get(LinstorSatellite, node)).toBeDefined();
    expect(other.nodes()).toContain(node);
    await lead(null);
    await admin.replaced(node);
    expect(harness.linstor.goodCopies("pvc-1")).toEqual(["node-2"]);
    expect(calledAt(elsewhere).filter((call) => call.includes(node))).toEqual([]);
  });
});

/** Another cluster's satellite of that name, as piraeus-operator registers it. */
async function register(other: LinstorStandIn): Promise<void> {
  const body = {
    name: node,
    type: "Satellite",
    props: { "Aux/piraeus.io/managed-by": "piraeus-operator" },
    net_interfaces: [
      { name: "default", address: "10.9.9.9", satellite_port: 3366, satellite_encryption_type: "PLAIN" },
    ],
  };
  await answerOf(other, "POST", "/v1/nodes", body);
}

async function answerOf(
  other: LinstorStandIn,
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  body: object = {},
) {
  const content = method === "GET" ? {} : { body: JSON.stringify(body) };
  return (await outcomeOf(harness.clock, other.transport({ method, path, headers: {}, ...content }), 60_000)).body;
}
