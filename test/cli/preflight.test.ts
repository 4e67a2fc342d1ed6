import { expect, onTestFinished, test, vi } from "vitest";
import { isAtLeast, readVersion } from "../../cli/preflight/versions.ts";
import { ApiServerSource } from "../../eventing/kinds.ts";
import { StatefulSet } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { Namespace } from "../harness/kinds.ts";
import { manifest, statefulSet } from "../harness/manifest.ts";
import { readKustomization } from "../manifests/kustomization.ts";
import { installOverlay } from "./install.ts";
import { openCliCluster } from "./open-cluster.ts";

const Deployment = { apiVersion: "apps/v1", kind: "Deployment", plural: "deployments", namespaced: true };

test.each([
  ["v1.36.3-gke.1", [1, 36], true],
  ["1.22.1", [1, 22, 2], false],
  ["v1.22", [1, 22, 0], true],
  ["1.9.0", [1, 34], false],
  ["2.0.0", [1, 34], true],
])("version %s is at least %j: %s", (text, wanted, expected) => {
  expect(isAtLeast(readVersion(text) ?? [], wanted)).toBe(expected);
});

test("preflight as an administrator names versions, and what is worth knowing, and is good", async () => {
  const cluster = await openCliCluster([]);
  await installOverlay(cluster.admin, "default");
  const { code, out, err } = await cluster.holdfast(["preflight"], ["*"], ["*"]);
  expect([err, code]).toEqual(["", 0]);
  expect(out).toMatch(/^ok {4}This is Kubernetes v1\./);
  expect(out).toContain("note  Knative Eventing does not say its version.");
  expect(out).toContain("ok    You may write what an installation consists of.");
  expect(out).toMatch(/Nothing is in the way of an installation\.\n$/);
});

test("preflight names a source whose kind the cluster does not serve", async () => {
  const cluster = await openCliCluster([]);
  await installOverlay(cluster.admin, "default");
  const source = readKustomization("knative/satellite/cluster-api").objects.find(
    ({ kind }) => kind === ApiServerSource.kind,
  );
  await cluster.admin.create(ApiServerSource, source as KubernetesObject);
  const { code, out } = await cluster.holdfast(["preflight"], ["*"], ["*"]);
  expect(code).toBe(1);
  expect(out.replaceAll(/\s+/g, " ")).toContain(
    "ApiServerSource holdfast/satellite-cluster-api-nodes watches Machine of cluster.x-k8s.io/v1beta2, which this " +
      "cluster does not serve.",
  );
});

test("preflight names the rights that a user lacks, and that it could not look", async () => {
  const cluster = await openCliCluster([]);
  const reviews = ["selfsubjectaccessreviews", "statefulsets", "deployments"];
  const { code, out } = await cluster.holdfast(["preflight", "pvc-protection", "undelete"], reviews, ["create"]);
  expect(code).toBe(1);
  expect(out).toMatch(
    /You may not: .*create\/patch\S* namespaces.*patch\S* persistentvolumeclaims.* Install as a cluster admin/s,
  );
  expect(out).toContain(
    "Not known: Which StorageClasses there are could not be read: you may not list storageclasses.",
  );
});

test("preflight notes what a user may install and not delete, of each kind that the manifests have", async () => {
  const cluster = await openCliCluster([]);
  await installOverlay(cluster.admin, "default");
  const { code, out } = await cluster.holdfast(["preflight"], ["*"], ["create", "patch", "escalate"]);
  expect(code).toBe(0);
  const [, lacking = ""] = /You may not: (.*)\. An uninstall needs/.exec(out.replaceAll(/\s+/g, " ")) ?? [];
  const objects = readKustomization("knative/overlays/default").objects;
  for (const kind of new Set(objects.map((one) => one.kind.toLowerCase().replace(/y$/, "ie"))))
    expect(lacking).toContain(`delete ${kind}s`);
  // Only the edition without Knative has these.
  expect(lacking).not.toMatch(/deployments/);
});

test("preflight for a second namespace names the installation that there is, and for its own does not", async () => {
  const cluster = await openCliCluster([]);
  await installOverlay(cluster.admin, "default");
  const found = "Holdfast is installed in namespace holdfast";
  const { code, out } = await cluster.holdfast(["preflight", "--install-namespace", "two"], ["*"], ["*"]);
  expect([code, out]).toEqual([1, expect.stringContaining(found)]);
  expect((await cluster.holdfast(["preflight"], ["*"], ["*"])).out).not.toContain(found);
});

test("preflight names an operator that does the same work, unless it is stopped, and an old Knative", async () => {
  const cluster = await openCliCluster([]);
  const { admin } = cluster;
  await admin.create(Namespace, manifest(Namespace, { name: "piraeus-datastore" }));
  const labels = { app: "operator" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "manager", image: "example.org/it:1" }] } };
  const named = { namespace: "piraeus-datastore", name: "piraeus-operator-controller-manager" };
  const spec = { selector: { matchLabels: labels }, template };
  await admin.create(Deployment, manifest(Deployment, named, { spec }));
  const { code, out } = await cluster.holdfast(["preflight", "satellite"], ["*"], ["*"]);
  expect(code).toBe(1);
  expect(out).toContain("Two that evacuate one node have lost data.");
  expect(out).toContain("note  This cluster serves no Machines of Cluster API.");
  expect(out).toMatch(/http:.* is without TLS: .* LINSTOR_ALLOW_HTTP in the ConfigMap holdfast-satellite/);
  vi.stubEnv("LINSTOR_ALLOW_HTTP", "in-cluster");
  onTestFinished(() => void vi.unstubAllEnvs());
  const allowed = await cluster.holdfast(["preflight", "satellite"], ["*"], ["*"]);
  const away = "Not known: Whether linstor can be reached from the cluster: from here, LINSTOR could not be";
  expect(allowed.out).toContain(away);
  await admin.patch(Deployment, named.namespace, named.name, "merge", { spec: { replicas: 0 } });
  expect((await cluster.holdfast(["preflight", "satellite"], ["*"], ["*"])).code).toBe(2);
});

test("preflight names the namespace of the agents if it is not there", async () => {
  const cluster = await openCliCluster([]);
  const missing = "Namespace yaook is not there.";
  expect((await cluster.holdfast(["preflight", "eviction"], ["*"], ["*"])).out).toContain(missing);
  await cluster.admin.create(Namespace, manifest(Namespace, { name: "yaook" }));
  const { out } = await cluster.holdfast(["preflight", "eviction"], ["*"], ["*"]);
  expect(out).not.toContain(missing);
  expect(out).toContain("ok    Namespace yaook is there.");
});

test("preflight names sets whose policy is in other hands", async () => {
  const cluster = await openCliCluster([]);
  const { admin } = cluster;
  await admin.create(Namespace, manifest(Namespace, { name: "shop" }));
  const persistentVolumeClaimRetentionPolicy = { whenDeleted: "Retain", whenScaled: "Delete" };
  await admin.create(
    StatefulSet,
    statefulSet({ namespace: "shop", name: "web" }, { persistentVolumeClaimRetentionPolicy }),
  );
  const { code, out } = await cluster.holdfast(["preflight", "pvc-retention"], ["*"], ["*"]);
  expect([code, out]).toEqual([
    0,
    expect.stringContaining("policy that others apply: shop/web.".replace("policy", "Policy")),
  ]);
});

test("a system that there is not ends with 2", async () => {
  const cluster = await openCliCluster([]);
  const { code, err } = await cluster.holdfast(["preflight", "nope"]);
  expect([code, err]).toEqual([2, expect.stringContaining("There is no system nope; there are eviction, ")]);
});
