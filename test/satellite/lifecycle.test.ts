import { expect, test } from "vitest";
import type { ConfiguredSatellite } from "../../functions/satellite/lib/configuration/configured-satellite.ts";
import { DaemonSet, LinstorSatellite, LinstorSatelliteConfiguration } from "../../functions/satellite/lib/kinds.ts";
import { ConfigMap, Node, Pod } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { addressOf, workloads } from "./harness.ts";
import { admin, harness, withHarness } from "./with-harness.ts";

const node = "node-1";

withHarness({ policy: "none" });

interface Status {
  readonly appliedTo?: readonly string[];
  readonly matched?: number;
}
const specOf = async (name: string) => (await harness.get<ConfiguredSatellite>(LinstorSatellite, name))?.spec;
const configure = (name: string, spec: object) =>
  harness.create(LinstorSatelliteConfiguration, { metadata: { name }, spec });
const statusOf = async (name: string) =>
  (await harness.get<KubernetesObject & { status?: Status }>(LinstorSatelliteConfiguration, name))?.status;

const linstorNode = async (name: string) => {
  const { status, body } = await harness.linstor.transport({ method: "GET", path: `/v1/nodes/${name}`, headers: {} });
  return status === 200 ? (JSON.parse(body) as { uuid: string; net_interfaces: { address: string }[] }) : undefined;
};
const poolsOf = async (name: string) => {
  const path = `/v1/nodes/${name}/storage-pools`;
  const { body } = await harness.linstor.transport({ method: "GET", path, headers: {} });
  return (JSON.parse(body) as { storage_pool_name: string; props?: Record<string, string> }[]).slice(1);
};
const workload = (name: string) => harness.client.get<Workload>(DaemonSet, workloads, `linstor-satellite.${name}`);
type Workload = KubernetesObject & {
  spec: { template: { spec: { hostNetwork?: boolean; containers: { env?: { name: string }[] }[] } } };
};
const isUp = (name: string) =>
  harness.until(`${name} is Applied, Available and Configured`, async () => {
    const types = ["Applied", "Available", "Configured"];
    const reports = await Promise.all(types.map((type) => harness.condition(name, type)));
    return reports.every((one) => one?.status === "True");
  });
const allGone = (name: string) =>
  harness.until(`nothing is left of ${name}`, async () => {
    const left = [
      await harness.get(LinstorSatellite, name),
      await workload(name),
      await harness.client.get(ConfigMap, workloads, `linstor-satellite.${name}`),
      await harness.client.get(Pod, workloads, `satellite-${name}`),
      await linstorNode(name),
    ];
    return left.every((one) => one === undefined);
  });

test("a Node comes, changes with its configuration, and leaves under Delete: all is there, and all goes", async () => {
  await configure("node-5", {
    nodeSelector: { rack: "5" },
    deletionPolicy: "Delete",
    properties: [{ name: "Aux/rack", valueFrom: { nodeFieldRef: "metadata.labels['rack']" } }],
  });
  await harness.create(Node, { metadata: { name: "node-5", labels: { rack: "5" } }, spec: {} });
  await isUp("node-5");
  expect((await linstorNode("node-5"))?.net_interfaces).toMatchObject([{ address: addressOf("node-5") }]);
  expect((await poolsOf("node-5")).map((pool) => pool.storage_pool_name)).toEqual(["pool1"]);
  const { uid } = (await workload("node-5"))?.metadata ?? {};

  await harness.merge(LinstorSatelliteConfiguration, "node-5", {
    spec: {
      storagePools: [
        { name: "pool1", fileThinPool: { directory: "/srv/pool" }, properties: [{ name: "Aux/tier", value: "fast" }] },
      ],
      podTemplate: {
        spec: { hostNetwork: true, containers: [{ name: "linstor-satellite", env: [{ name: "X", value: "y" }] }] },
      },
    },
  });
  await harness.until("its pod follows", async () => (await workload("node-5"))?.spec.template.spec.hostNetwork);
  expect((await workload("node-5"))?.spec.template.spec.containers[0]?.env?.map(({ name }) => name)).toContain("X");
  expect((await workload("node-5"))?.metadata.uid).toBe(uid);
  await harness.until("its pool follows", async () => (await poolsOf("node-5"))[0]?.props?.["Aux/tier"] === "fast");
  await isUp("node-5");

  await harness.delete(Node, "node-5");
  await allGone("node-5");
});

test.each(["Background", "Foreground"] as const)(
  "%s deletion under Evacuate: the satellite stays until its data is elsewhere, then is deleted and created again",
  async (propagationPolicy) => {
    await configure("evacuated", { deletionPolicy: "Evacuate" });
    await harness.until("all evacuate", async () => (await specOf(node))?.deletionPolicy === "Evacuate");
    await isUp(node);
    await harness.volume("pvc-1", [node, "node-2"]);
    const before = { satellite: await harness.get(LinstorSatellite, node), linstor: await linstorNode(node) };
    await harness.client.delete(LinstorSatellite, undefined, node, { propagationPolicy });
    await harness.until("LINSTOR copies", () => harness.calls.evacuate.length > 0);
    expect(await workload(node)).toBeDefined();
    expect((await harness.get(LinstorSatellite, node))?.metadata.uid).toBe(before.satellite?.metadata.uid);
    await harness.until("another one is there", async () => {
      const live = await harness.get(LinstorSatellite, node);
      return live && live.metadata.uid !== before.satellite?.metadata.uid;
    });
    expect(harness.linstor.goodCopies("pvc-1")).not.toContain(node);
    expect(harness.linstor.goodCopies("pvc-1")).toHaveLength(2);
    await harness.until("its DaemonSet is another one", async () => {
      const { labels } = (await workload(node))?.metadata ?? {};
      return labels?.["piraeus.io/linstor-satellite"] === (await harness.get(LinstorSatellite, node))?.metadata.uid;
    });
    await isUp(node);
    expect((await linstorNode(node))?.uuid).not.toBe(before.linstor?.uuid);
  },
);

test("a patch that cannot be applied is said, and the satellite runs on as it did", async () => {
  await isUp(node);
  const before = await workload(node);
  await configure("wrong", { patches: [{ target: { kind: "DaemonSet" }, patch: "spec: [" }] });
  await admin.says(node, "Applied", /is no YAML/);
  expect((await workload(node))?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
});

test("configurations that come, change and go reach the satellites that there are", async () => {
  await configure("00-all", { properties: [{ name: "Aux/x", value: "y" }] });
  await configure("01-zone-a", { nodeSelector: { zone: "a" }, deletionPolicy: "Evacuate" });
  await harness.until("all have the property", async () => (await specOf("node-4"))?.properties?.[0]?.value === "y");
  await harness.until("its status says so", async () => (await statusOf("00-all"))?.matched === 4);
  expect(await specOf(node)).toMatchObject({ deletionPolicy: "Retain" });

  await harness.merge(Node, node, { metadata: { labels: { zone: "a" } } });
  await harness.until("the zone evacuates", async () => (await specOf(node))?.deletionPolicy === "Evacuate");
  expect(await specOf("node-2")).toMatchObject({ deletionPolicy: "Retain" });
  await harness.until("its status says so", async () => {
    return (await statusOf("01-zone-a"))?.appliedTo?.join() === node;
  });

  await harness.merge(LinstorSatelliteConfiguration, "00-all", { spec: { properties: null } });
  await harness.delete(LinstorSatelliteConfiguration, "01-zone-a");
  await harness.until("their settings are gone", async () => {
    const spec = await specOf(node);
    return spec?.deletionPolicy === "Retain" && !spec.properties;
  });
  const before = harness.history.length;
  await harness.clock.advance(300_000);
  expect(harness.history.slice(before)).toEqual([]);
});

test("a mistake in a configuration is said there, and changes no satellite before it is mended", async () => {
  await configure("all", { deletionPolicy: "Evacuate" });
  await harness.until("all evacuate", async () => (await specOf("node-4"))?.deletionPolicy === "Evacuate");
  const wrong = { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: [] }] }] };
  await harness.merge(LinstorSatelliteConfiguration, "all", { spec: { nodeAffinity: wrong } });
  await harness.until("it says so", async () => JSON.stringify(await statusOf("all")).includes("without values"));
  expect(await specOf("node-4")).toMatchObject({ deletionPolicy: "Evacuate" });
  await harness.merge(LinstorSatelliteConfiguration, "all", { spec: { nodeAffinity: null, deletionPolicy: "Delete" } });
  await harness.until("all follow", async () => (await specOf("node-4"))?.deletionPolicy === "Delete");
  expect(JSON.stringify(await statusOf("all"))).toContain('"AsExpected"');
});
