import { describe, expect, test } from "vitest";
import {
  LinstorCluster,
  LinstorSatellite,
  LinstorSatelliteConfiguration,
} from "../../functions/satellite/lib/kinds.ts";
import { recordKey } from "../../functions/satellite/lib/record.ts";
import { Node, PersistentVolume } from "../../shared/kubernetes/kind.ts";
import type { SystemResponse } from "../../shared/system/transport.ts";
import { nodes } from "./harness.ts";
import { admin, harness, withHarness } from "./with-harness.ts";

const node = "node-1";

withHarness();

const json = { "content-type": "application/json" };
const entry = '{"ret_code":-4611686018427386906,"message":"Something went wrong."}';
const strange: Readonly<Record<string, (real: SystemResponse) => SystemResponse>> = {
  "a page in HTML": () => ({ status: 200, headers: { "content-type": "text/html" }, body: "<html>Welcome</html>" }),
  "500 with an array": () => ({ status: 500, headers: json, body: `[${entry}]` }),
  "500 with an object": () => ({ status: 500, headers: json, body: entry }),
  "lists that are empty": () => ({ status: 200, headers: json, body: "[]" }),
};

test.each(Object.entries(strange))(
  "LINSTOR answers with %s: nothing is called and nothing goes until it is well",
  async (what, answered) => {
    // Only reads reach it: what was written would be carried out.
    const asked: string[] = [];
    const answerStrangely = () =>
      harness.answerLinstor(async (request, send) => {
        asked.push(request.method);
        return answered(request.method === "GET" ? await send(request) : { status: 200, headers: json, body: "[]" });
      });
    const leaving = [node, "node-2"];
    const areThere = async () =>
      (await Promise.all(leaving.map((name) => harness.get(LinstorSatellite, name)))).every(Boolean);
    await harness.volume("pvc-1", [node, "node-3"]);
    await harness.volume("pvc-2", ["node-2", "node-3"]);
    await admin.setPolicy("node-2", "Delete");
    answerStrangely();
    for (const name of leaving) await admin.taint(name, "NoExecute");
    await harness.clock.advance(60_000);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((method) => method !== "GET")).toEqual([]);
    expect(await areThere()).toBe(true);
    const sentence = what.startsWith("500") ? /answered GET .* with 500: .*Something went wrong/ : /is not LINSTOR's: /;
    expect(harness.history.join("\n")).toMatch(sentence);

    harness.answerLinstor();
    await harness.until("LINSTOR was called", () => harness.calls.evacuate.length > 0);
    answerStrangely();
    await harness.clock.advance(60_000);
    expect(await harness.get(LinstorSatellite, node)).toBeDefined();
    harness.answerLinstor();
    for (const name of leaving) await admin.gone(LinstorSatellite, name);
    expect(harness.calls).toEqual({ evacuate: [node], atOnce: 1 });
    expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(2);
  },
);

describe("a clock that jumps", () => {
  const hours = 3_600_000;
  test.each([
    ["ahead", 6 * hours],
    ["back", -6 * hours],
  ])("%s by hours at each step: marks go, and LINSTOR is called once at a time", async (_, ms) => {
    await harness.volume("pvc-1", [node, "node-3"], { attached: node, bound: true, localOnly: true });
    await harness.volume("pvc-2", ["node-2", "node-3"]);
    let jumps = 0;
    const jump = async () => {
      jumps++;
      harness.setClock(ms);
      await harness.clock.advance(15_000);
      harness.setClock(0);
    };
    // In the middle of the call, too: LINSTOR works on it, and its answer is yet to come.
    harness.answerLinstor(async (request, send) => {
      if (!request.path.endsWith("/evacuate") || jumps > 1) return send(request);
      jumps++;
      harness.setClock(ms);
      const reply = await send(request);
      await harness.clock.sleep(20_000);
      harness.setClock(0);
      return reply;
    });
    await harness.merge(Node, node, { spec: { unschedulable: true } });
    await admin.taint(node, "NoExecute");
    await harness.until("it is marked", async () => (await admin.marks("pvc-1", node)).length > 0);
    await jump();
    await admin.taint("node-2", "NoExecute");
    await harness.until("LINSTOR was called", () => harness.calls.evacuate.length > 0);
    await harness.clock.advance(40_000);
    await jump();
    for (const name of [node, "node-2"]) await admin.gone(LinstorSatellite, name);
    expect(jumps).toBe(3);
    expect(harness.calls.atOnce).toBe(1);
    expect(await admin.marks("pvc-1", node)).toEqual([]);
    for (const name of ["pvc-1", "pvc-2"]) expect(harness.linstor.goodCopies(name).length).toBeGreaterThanOrEqual(2);
  });
});

test.each(["Evacuate", "Delete"])(
  "a node of the same name that is another cluster's is not touched under %s",
  async (policy) => {
    // Of another cluster, with its only copy of something.
    const address = { name: "default", address: "10.9.9.9", satellite_port: 3366, satellite_encryption_type: "Plain" };
    harness.linstor.startSatellite("10.9.9.9");
    const foreign = { name: "node-5", type: "Satellite", net_interfaces: [address] };
    await admin.ask("POST", "/v1/nodes", foreign);
    const props = { "StorDriver/StorPoolName": "/srv/pool" };
    const pool = { storage_pool_name: "pool1", provider_kind: "FILE_THIN", props };
    await admin.ask("POST", "/v1/nodes/node-5/storage-pools", pool);
    harness.linstor.addVolume("theirs", { copies: ["node-5"] });
    const before = await admin.linstorNode("node-5");

    await harness.create(Node, { metadata: { name: "node-5" }, spec: {} });
    await admin.says("node-5", "Available", /has a node node-5 with the address 10\.9\.9\.9/);
    await admin.setPolicy("node-5", policy);
    await harness.delete(Node, "node-5");
    await harness.clock.advance(120_000);
    expect(await harness.get(LinstorSatellite, "node-5")).toBeDefined();
    expect(harness.history.join("\n")).toMatch(
      /a node node-5, and nothing says that it was registered for this Kubernetes/,
    );
    harness.linstor.stopSatellite("10.9.9.9");
    await harness.clock.advance(120_000);
    expect(await admin.linstorNode("node-5")).toMatchObject({ uuid: before.uuid });
    expect(harness.linstor.goodCopies("theirs")).toEqual(["node-5"]);
    expect(harness.calls.evacuate).toEqual([]);
    await harness.merge(LinstorSatellite, "node-5", { spec: { deletionPolicy: "Retain" } });
    await admin.gone(LinstorSatellite, "node-5");
  },
);

const term = (operator: string, values?: string[]) => ({
  nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator, ...(values ? { values } : {}) }] }],
});
test("no field that is wrong costs a satellite or changes its policy, and each is refused or said", async () => {
  await harness.create(LinstorSatelliteConfiguration, { metadata: { name: "wrong" }, spec: {} });
  const specOf = async (name: string) => {
    const live = (await harness.get(LinstorSatellite, name)) as
      | { metadata: { uid: string }; spec?: object }
      | undefined;
    return [live?.metadata.uid, live?.spec];
  };
  const before = await Promise.all(nodes.map(specOf));
  const wrong: readonly (readonly [typeof LinstorCluster | typeof LinstorSatelliteConfiguration, object])[] = [
    [LinstorCluster, { nodeSelector: ["storage"] }],
    [LinstorCluster, { nodeAffinity: { nodeSelectorTerms: [] } }],
    [LinstorCluster, { nodeAffinity: term("In", []) }],
    [LinstorCluster, { nodeAffinity: term("Near", ["a"]) }],
    [LinstorCluster, { tolerations: [{ operator: "Equal", value: "x" }] }],
    [LinstorCluster, { tolerations: "all" }],
    [LinstorCluster, { maxConcurrentEvacuations: -1 }],
    [LinstorCluster, { externalController: { url: "" } }],
    [LinstorCluster, { apiTLS: "yes" }],
    [LinstorCluster, { properties: [{ value: "x" }] }],
    [LinstorSatelliteConfiguration, { nodeSelector: { zone: 1 } }],
    [LinstorSatelliteConfiguration, { nodeAffinity: term("Gt", ["x"]) }],
    [LinstorSatelliteConfiguration, { deletionPolicy: "Evict" }],
    [LinstorSatelliteConfiguration, { evacuationStrategy: { attachedVolumeReattachTimeout: "soon" } }],
    [LinstorSatelliteConfiguration, { evacuationStrategy: { unattachedVolumeAttachTimeout: "5m" } }],
    [LinstorSatelliteConfiguration, { properties: [{ name: "" }] }],
    [LinstorSatelliteConfiguration, { storagePools: [{ name: "p2", fileThinPool: { directory: "x" } }] }],
    [LinstorSatelliteConfiguration, { ipFamilies: ["IPX"] }],
    [LinstorSatelliteConfiguration, { internalTLS: 1 }],
    [LinstorSatelliteConfiguration, { podTemplate: [] }],
    [LinstorSatelliteConfiguration, { patches: [{}] }],
  ];
  for (const [kind, spec] of wrong) {
    const name = kind === LinstorCluster ? "linstorcluster" : "wrong";
    const from = harness.history.length;
    const refusal = await harness.merge(kind, name, { spec }).then(
      () => undefined,
      (error: Error) => error.message,
    );
    if (refusal === undefined) await harness.clock.advance(15_000);
    const said = refusal ?? harness.history.slice(from).join("\n");
    expect([spec, said]).toEqual([spec, expect.stringMatching(new RegExp(Object.keys(spec)[0] as string, "i"))]);
    expect([spec, await Promise.all(nodes.map(specOf))]).toEqual([spec, before]);
    await harness.merge(kind, name, { spec: Object.fromEntries(Object.keys(spec).map((key) => [key, null])) });
  }
});

test("annotations that are damaged or of another writer change nothing but what they are about", async () => {
  await harness.volume("pvc-1", [node, "node-2"], { attached: node });
  const garbage = {
    "holdfast.dev/evacuation": "{",
    "holdfast.dev/machine": '["x"]',
    "holdfast.dev/satellite.mark": "7",
  };
  await harness.merge(LinstorSatellite, node, { metadata: { annotations: garbage } });
  const marks = {
    [`wait-for-reattach.evacuation.piraeus.io/${node}`]: "perhaps",
    [`wait-for-reattach-since.evacuation.piraeus.io/${node}`]: "yesterday",
  };
  await harness.merge(PersistentVolume, "pvc-1", { metadata: { annotations: marks } });
  await harness.merge(Node, node, {
    metadata: { annotations: { "cluster.x-k8s.io/machine": "", "cluster.x-k8s.io/x": "" } },
  });
  await admin.cordon(node);
  await harness.delete(LinstorSatellite, node);
  await admin.replaced(node);
  expect(harness.calls).toEqual({ evacuate: [node], atOnce: 1 });
  expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(2);
  expect(await admin.marks("pvc-1", node)).toEqual([]);
});

test("a damaged note of the LINSTOR that has the node stops the evacuation, until a person has looked", async () => {
  await harness.volume("pvc-1", [node, "node-2"]);
  await admin.cordon(node);
  harness.linstor.stopController();
  await harness.merge(LinstorSatellite, node, { metadata: { annotations: { "holdfast.dev/linstor": '{"v":1,' } } });
  await harness.delete(LinstorSatellite, node);
  harness.linstor.startController();
  await admin.says(node, "SatelliteEvacuated", /is damaged.* `kubectl annotate linstorsatellite node-1 /);
  expect(harness.calls.evacuate).toEqual([]);
  await harness.merge(LinstorSatellite, node, { metadata: { annotations: { "holdfast.dev/linstor": null } } });
  await admin.replaced(node);
  expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(2);
});

test("a record that has lost how many copies there were stops the evacuation, until a person has looked", async () => {
  await harness.volume("pvc-1", [node, "node-2"]);
  await admin.cordon(node);
  await harness.delete(LinstorSatellite, node);
  await harness.until("LINSTOR was called", () => harness.calls.evacuate.length > 0);
  const written = async () => (await admin.annotation(node, recordKey)) ?? "{}";
  // As a later version may write it.
  const record = JSON.stringify({ ...JSON.parse(await written()), before: { "pvc-1": { good: 2 } } });
  await harness.merge(LinstorSatellite, node, { metadata: { annotations: { [recordKey]: record } } });
  await admin.says(node, "SatelliteEvacuated", /is damaged \(before\).* `kubectl annotate linstorsatellite node-1 /);
  await harness.clock.advance(1_800_000);
  expect(await admin.isListed(node)).toBe(true);
  expect(await written()).toBe(record);
  expect(harness.calls.evacuate).toEqual([node]);
  await harness.merge(LinstorSatellite, node, { metadata: { annotations: { [recordKey]: null } } });
  await admin.replaced(node);
  expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(2);
});
