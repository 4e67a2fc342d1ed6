import { afterEach, beforeEach, expect, test } from "vitest";
import type { ConfiguredSatellite } from "../../functions/satellite/lib/configuration/configured-satellite.ts";
import { LinstorSatellite, LinstorSatelliteConfiguration } from "../../functions/satellite/lib/kinds.ts";
import { nodeDigestKey } from "../../functions/satellite/lib/node-digest.ts";
import { Node } from "../../shared/kubernetes/kind.ts";
import { type Administrator, administratorOf } from "./administrator.ts";
import { openSatelliteHarness, type SatelliteHarness } from "./harness.ts";
import { watchInvariants } from "./invariants.ts";

let harness: SatelliteHarness;
let admin: Administrator;
const node = "node-1";

beforeEach(async () => {
  harness = await openSatelliteHarness({ policy: "none" });
  admin = administratorOf(harness);
  watchInvariants(harness);
});
afterEach(async () => {
  await harness.stop();
  expect(harness.failures).toEqual([]);
});

const satellite = (name = node) => harness.get<ConfiguredSatellite>(LinstorSatellite, name);
const digestOf = async (name = node) => (await satellite(name))?.metadata.annotations?.[nodeDigestKey];
const writesStatus = (time: string) =>
  harness.merge(
    Node,
    node,
    { status: { conditions: [{ type: "Ready", status: "True", lastHeartbeatTime: time }] } },
    "status",
  );
const poolProperty = async (name: string) => {
  const { body } = await admin.ask("GET", `/v1/nodes/${node}/storage-pools`);
  const pools = JSON.parse(body) as { storage_pool_name: string; props?: Record<string, string> }[];
  return pools.find((pool) => pool.storage_pool_name === "pool1")?.props?.[name];
};
/** Waits for what must come by events alone: the harness has no resync. */
const within = async (seconds: number, what: string, check: () => Promise<unknown>) => {
  const before = harness.clock.now();
  await harness.until(what, check);
  expect((harness.clock.now() - before) / 1000).toBeLessThanOrEqual(seconds);
};

test("a taint that no satellite tolerates has the satellite deleted within seconds, by events alone", async () => {
  await harness.volume("pvc-1", [node]);
  await admin.taint(node, "NoExecute");
  await within(5, "it is deleted", async () => {
    const live = await satellite();
    return !live || live.metadata.deletionTimestamp;
  });
  expect(harness.history.filter((line) => line.startsWith("satellite/delete write"))).toEqual([
    expect.stringContaining("has the taint test=yes:NoExecute"),
  ]);
});

test("a label has the configurations merged again, and reaches the node and its pool in LINSTOR", async () => {
  const properties = [{ name: "Aux/rack", valueFrom: { nodeFieldRef: "metadata.labels['rack']" } }];
  const storagePools = [{ name: "pool1", fileThinPool: { directory: "/srv/pool" }, properties }];
  await admin.configureOnly(node, { storagePools });
  await harness.create(LinstorSatelliteConfiguration, {
    metadata: { name: "rack-5" },
    spec: { nodeSelector: { rack: "5" }, deletionPolicy: "Evacuate" },
  });
  await harness.until(
    "the pool asks for the rack",
    async () => (await satellite())?.spec?.storagePools?.[0]?.properties,
  );
  await admin.is(node, "Configured", "True");

  await harness.merge(Node, node, { metadata: { labels: { rack: "5" } } });
  await within(5, "its policy is the rack's", async () => (await satellite())?.spec?.deletionPolicy === "Evacuate");
  await within(30, "LINSTOR knows the rack", async () => (await poolProperty("Aux/rack")) === "5");
  await admin.is(node, "Configured", "True");

  // The label alone, which no configuration goes by: nothing else of the satellite changes.
  await harness.merge(LinstorSatelliteConfiguration, "rack-5", { spec: { nodeSelector: null } });
  await harness.clock.advance(60_000);
  await harness.merge(Node, node, { metadata: { labels: { rack: "6" } } });
  await within(30, "LINSTOR knows the other rack", async () => (await poolProperty("Aux/rack")) === "6");
});

test("what kubelets write of their Nodes, a cordon and other annotations write nothing to any satellite", async () => {
  const created = await digestOf();
  await harness.merge(LinstorSatellite, node, { metadata: { annotations: { [nodeDigestKey]: null } } });
  await harness.clock.advance(60_000);
  expect(await digestOf()).toBeUndefined();
  // One from before there were digests gets its own with the first of them.
  await writesStatus("2026-01-01T00:00:00Z");
  await harness.clock.advance(60_000);
  const [before, digest] = [harness.history.length, await digestOf()];
  expect(digest).toMatch(/^[0-9a-f]{16}$/);
  expect(digest).toBe(created);
  for (let round = 0; round < 3; round++) {
    await writesStatus(`2026-01-01T01:0${round}:00Z`);
    await harness.clock.advance(10_000);
  }
  await admin.cordon(node);
  await harness.merge(Node, node, { metadata: { annotations: { other: "x" } } });
  await harness.clock.advance(60_000);
  expect(harness.history.slice(before)).toEqual([]);
  expect(await digestOf()).toBe(digest);
});

test("a Machine that Cluster API names on the Node late is hooked, though no event of it comes any more", async () => {
  await harness.create(LinstorSatelliteConfiguration, {
    metadata: { name: "all" },
    spec: { deletionPolicy: "Evacuate" },
  });
  await harness.until("it evacuates", async () => (await satellite())?.spec?.deletionPolicy === "Evacuate");
  await harness.clock.advance(60_000);
  const before = await digestOf();
  const annotations = { "cluster.x-k8s.io/machine": "worker", "cluster.x-k8s.io/cluster-namespace": "capi" };
  await harness.merge(Node, node, { metadata: { annotations } });
  await within(5, "the Machine is written down", async () =>
    (await satellite())?.metadata.annotations?.["holdfast.dev/machine"]?.includes("worker"),
  );
  expect(await digestOf()).not.toBe(before);
});
