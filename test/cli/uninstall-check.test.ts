import { expect, test } from "vitest";
import { Namespace, PersistentVolumeClaim, Pod } from "../../shared/kubernetes/kind.ts";
import { claim, manifest, pod } from "../worlds/manifest.ts";
import { installOverlay } from "./install.ts";
import { openCliCluster } from "./open-cluster.ts";

const ours = "holdfast.dev/pvc-protection";

test("uninstall --check names what goes in which order to a user who may only read, and touches nothing", async () => {
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
  expect([code, out]).toEqual([0, expect.stringContaining("Nothing is in the way.")]);
  const { metadata } = (await cluster.admin.get(PersistentVolumeClaim, "shop", "data")) ?? held;
  expect(metadata.finalizers).toContain(ours);
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
  const { code, out } = await cluster.holdfast(["uninstall", "--check"]);
  expect([code, out]).toEqual([1, expect.stringContaining("Delete the pods first, or their data goes under them.")]);
  const { code: unknown, out: less } = await cluster.holdfast(["uninstall", "--check"], ["pods"]);
  expect([unknown, less]).toEqual([
    2,
    expect.stringContaining("Not known: What is installed could not be read: you may"),
  ]);
});
