import { expect, test } from "vitest";
import { customResourceDefinition } from "../../build/manifests/crd/definition.ts";
import { NovaComputeNode } from "../../functions/eviction/lib/kinds.ts";
import { computeFinalizer, recordKey as evictionKey } from "../../functions/eviction/lib/names.ts";
import { customKinds as computeKinds } from "../../functions/eviction/lib/schema.ts";
import { LinstorSatellite } from "../../functions/satellite/lib/kinds.ts";
import { machineKey, preDrainHook, preTerminateHook } from "../../functions/satellite/lib/machine.ts";
import { recordKey as evacuationKey } from "../../functions/satellite/lib/record.ts";
import { satelliteFinalizer } from "../../functions/satellite/lib/satellite.ts";
import { customKinds as satelliteKinds } from "../../functions/satellite/lib/schema/custom-kinds.ts";
import { ConfigMap, Namespace, PersistentVolumeClaim, Pod } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { install } from "../harness/installation.ts";
import { claim, manifest, pod } from "../harness/manifest.ts";
import { installOverlay } from "./install.ts";
import { openCliCluster } from "./open-cluster.ts";

const Deployment = { apiVersion: "apps/v1", kind: "Deployment", plural: "deployments", namespaced: true } as const;
const ours = "holdfast.dev/pvc-protection";

/** What an uninstall does to objects. */
const writes = ["delete", "patch"];

test("uninstall --check names what goes in which order, and what a user who may only read lacks", async () => {
  const cluster = await openCliCluster([]);
  await installOverlay(cluster.admin, "no-knative");
  await cluster.admin.create(Namespace, manifest(Namespace, { name: "shop" }));
  const held = claim({ namespace: "shop", name: "data", finalizers: [ours] });
  await cluster.admin.create(PersistentVolumeClaim, held);
  const { code, out } = await cluster.holdfast(["uninstall", "--check"]);
  const order = [
    "Functions: ",
    "Their roles",
    "One PersistentVolumeClaim carries the finalizer",
    "Settings and accounts",
  ];
  const places = order.map((text) => out.indexOf(text));
  expect(places).toEqual(places.filter((place) => place >= 0).toSorted((a, b) => a - b));
  expect([code, out]).toEqual([
    1,
    expect.stringMatching(/You may not: delete deployments\.apps, .*patch persistentvol/),
  ]);
  const { code: good, out: sound } = await cluster.holdfast(["uninstall", "--check"], ["*"], writes);
  expect([good, sound]).toEqual([0, expect.stringContaining("Nothing is in the way.")]);
  const { metadata } = (await cluster.admin.get(PersistentVolumeClaim, "shop", "data")) ?? held;
  expect(metadata.finalizers).toContain(ours);
});

test("uninstall --check, where only a namespace with another object is left, says that it stays", async () => {
  const cluster = await openCliCluster([]);
  const labels = { "app.kubernetes.io/part-of": "holdfast" };
  await cluster.admin.create(Namespace, manifest(Namespace, { name: "keeping", labels }));
  await cluster.admin.create(ConfigMap, manifest(ConfigMap, { namespace: "keeping", name: "notes" }));
  const { code, out } = await cluster.holdfast(["uninstall", "--check"]);
  expect([code, out.replace(/\s+/g, " ").trim()]).toEqual([
    0,
    "Nothing of Holdfast is left to remove. This stays: - Namespace keeping, because there is more in it: " +
      "ConfigMap notes. Nothing is in the way.",
  ]);
});

test("uninstall --check ends with 1 where data would go under a pod, and with 2 where it could not look", async () => {
  const cluster = await openCliCluster([]);
  const { admin } = cluster;
  await admin.create(Namespace, manifest(Namespace, { name: "shop" }));
  await admin.create(PersistentVolumeClaim, claim({ namespace: "shop", name: "data", finalizers: [ours] }));
  await admin.create(Pod, pod({ namespace: "shop", name: "web" }, ["data"], { nodeName: "worker-1" }));
  await admin.delete(PersistentVolumeClaim, "shop", "data");
  const live = await admin.get(PersistentVolumeClaim, "shop", "data");
  if (live?.metadata.finalizers?.length !== 1)
    await admin.patch(PersistentVolumeClaim, "shop", "data", "merge", { metadata: { finalizers: [ours] } });
  const { code, out } = await cluster.holdfast(["uninstall", "--check"], ["*"], writes);
  expect([code, out]).toEqual([
    1,
    expect.stringContaining("Delete the pods first, or they lose their data while they run."),
  ]);
  const { code: bad, out: json } = await cluster.holdfast(["uninstall", "--check", "-o", "json"], ["*"], writes);
  expect([bad, JSON.parse(json)]).toEqual([
    1,
    { goes: expect.any(Array), stays: [], gaps: [], findings: [expect.objectContaining({ what: expect.any(String) })] },
  ]);
  const { code: unknown, out: less } = await cluster.holdfast(["uninstall", "--check"], ["pods"]);
  expect([unknown, less]).toEqual([
    2,
    expect.stringContaining("Not known: What is installed could not be read: you may"),
  ]);
});

test("uninstall does not begin while a host is cleared, a satellite is evacuated or its Machine leaves", async () => {
  const cluster = await openCliCluster([]);
  const { admin } = cluster;
  const kinds = [...computeKinds, ...satelliteKinds].map(customResourceDefinition);
  await install(admin, kinds as unknown as KubernetesObject[]);
  await admin.create(Namespace, manifest(Namespace, { name: "yaook" }));
  const cleared = async (name: string, annotations: Record<string, string>) => {
    const metadata = { namespace: "yaook", name, finalizers: [computeFinalizer], annotations };
    const schedulingLabel = { key: "compute", value: "enabled" };
    const selector = { matchLabels: { application: "nova" }, schedulingLabel };
    const spec = { state: "DisabledAndCleared", selector };
    await admin.create(NovaComputeNode, manifest(NovaComputeNode, metadata, { spec }));
  };
  const satellite = async (name: string, annotations: Record<string, string>) => {
    const metadata = { name, finalizers: [satelliteFinalizer], annotations };
    await admin.create(LinstorSatellite, manifest(LinstorSatellite, metadata, { spec: { clusterRef: { name: "a" } } }));
  };
  const machine = { namespace: "default", name: "machine-1" };
  await cleared("waits-for-a-person", {});
  await satellite("stays", { [machineKey]: JSON.stringify(machine) });
  const { code, out } = await cluster.holdfast(["uninstall", "--check"]);
  const unwrapped = out.replace(/\s+/g, " ");
  expect(unwrapped).toContain("LinstorSatellites whose Machine may carry Holdfast's hooks: stays.");
  expect(unwrapped).toContain(`${preDrainHook}- ${preTerminateHook}-`);
  expect([code, out]).toEqual([0, expect.stringContaining("Nothing is in the way.")]);

  await cleared("begun", { [evictionKey]: "{}" });
  await satellite("evacuated", { [evacuationKey]: "{}" });
  await satellite("leaves", { [machineKey]: JSON.stringify({ ...machine, deleting: true }) });
  await admin.create(Namespace, manifest(Namespace, { name: "keeping" }));
  const labels = { "app.kubernetes.io/part-of": "holdfast", "app.kubernetes.io/component": "release" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "function", image: "example.org/it:1" }] } };
  const spec = { selector: { matchLabels: labels }, template };
  await admin.create(Deployment, manifest(Deployment, { namespace: "keeping", name: "one", labels }, { spec }));
  const after = await cluster.holdfast(["uninstall", "--check"]);
  expect(after.code).toBe(1);
  expect(after.out.replace(/\s+/g, " ")).toContain("-n NAMESPACE --install-namespace keeping");
  expect(after.out.replace(/\s+/g, " ")).toMatch(
    /can complete that: (evacuated, leaves, yaook\/begun|yaook\/begun, evacuated, leaves)\./,
  );
  const { code: refused, err } = await cluster.holdfast(["uninstall", "--yes"]);
  expect([refused, err]).toEqual([2, expect.stringMatching(/evacuated, leaves[\s\S]*--leave-unfinished/)]);
});
