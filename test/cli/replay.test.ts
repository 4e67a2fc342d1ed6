import { expect, test } from "vitest";
import { ConfigMap, Namespace, PersistentVolumeClaim } from "../../shared/kubernetes/kind.ts";
import { claim, configMap, manifest } from "../harness/manifest.ts";
import { type CliCluster, openCliCluster } from "./open-cluster.ts";

const Deployment = { apiVersion: "apps/v1", kind: "Deployment", plural: "deployments", namespaced: true } as const;
const act = ["replay", "saved", "--act"];

/** A claim, and the refused event by which it is to get a finalizer that a ConfigMap names. */
async function refused(): Promise<CliCluster> {
  const cluster = await openCliCluster(["pvc-protection/protect"]);
  const { admin } = cluster;
  await admin.create(Namespace, manifest(Namespace, { name: "shop" }));
  await admin.create(PersistentVolumeClaim, claim({ namespace: "shop", name: "data" }));
  const subject = { kind: "PersistentVolumeClaim", apiversion: "v1", namespace: "shop", name: "data" };
  const type = "dev.knative.apiserver.resource.update";
  const attributes = { specversion: "1.0", id: "1", source: "https://10.96.0.1:443", type, ...subject };
  const saved = JSON.stringify({ attributes, destination: "pvc-protection-protect.holdfast" });
  const buffer = { namespace: "holdfast", name: "holdfast-dead-letters" };
  await admin.create(ConfigMap, configMap(buffer, { saved }));
  await admin.create(ConfigMap, configMap({ namespace: "holdfast", name: "own" }, { FINALIZER: "example.com/x" }));
  const containers = [{ name: "function", image: "example.org/it:1", envFrom: [{ configMapRef: { name: "own" } }] }];
  const spec = { template: { spec: { containers } } };
  await admin.patch(Deployment, "holdfast", "pvc-protection-protect", "merge", { spec });
  return cluster;
}

const finalizers = async ({ admin }: CliCluster) =>
  (await admin.get(PersistentVolumeClaim, "shop", "data"))?.metadata.finalizers;
const inTree = "kubernetes.io/pvc-protection";

test("replay --act writes what the settings of the installed function say", async () => {
  const cluster = await refused();
  const { code, out, err } = await cluster.holdfast(act, ["*"], ["patch"]);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/\nDone\.\n$/);
  expect(await finalizers(cluster)).toEqual([inTree, "example.com/x"]);
});

test("replay --act writes nothing where the settings may not be read, and ends with 2", async () => {
  const cluster = await refused();
  const { code, out, err } = await cluster.holdfast(act, ["configmaps", "persistentvolumeclaims"], ["patch"]);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain("The settings of pvc-protection-protect could not be read");
  expect(await finalizers(cluster)).toEqual([inTree]);
});

test.each([
  ["a key of a ConfigMap", { configMapKeyRef: { name: "own", key: "FINALIZER" } }, 0, "", "example.com/x"],
  ["a Secret", { secretKeyRef: { name: "own", key: "x" } }, 2, "FINALIZER of pvc-protection-protect could not be read"],
  ["a key that is not there", { configMapKeyRef: { name: "own", key: "x" } }, 2, "FINALIZER of pvc-protection-protect"],
  [
    "a key that need not be there",
    { configMapKeyRef: { name: "own", key: "x", optional: true } },
    0,
    "",
    "holdfast.dev/pvc-protection",
  ],
])(
  "replay --act writes by a setting from %s only if it can be read",
  async (_, valueFrom, expected, message, ...written) => {
    const cluster = await refused();
    const containers = [{ name: "function", image: "example.org/it:1", env: [{ name: "FINALIZER", valueFrom }] }];
    const spec = { template: { spec: { containers } } };
    await cluster.admin.patch(Deployment, "holdfast", "pvc-protection-protect", "merge", { spec });
    const { code, err } = await cluster.holdfast(act, ["*"], ["patch"]);
    expect([code, err]).toEqual([expected, expect.stringContaining(message)]);
    expect(await finalizers(cluster)).toEqual([inTree, ...written]);
    const reads = await cluster.holdfast(["replay", "saved"]);
    expect(reads.code).toBe(0);
    expect(reads.out.includes(message || "could not be read")).toBe(expected === 2);
  },
);

test("explain and what-if name the setting that a Secret hides, and end with 2", async () => {
  const cluster = await refused();
  const containers = [{ name: "function", image: "example.org/it:1", envFrom: [{ secretRef: { name: "own" } }] }];
  const spec = { template: { spec: { containers } } };
  await cluster.admin.patch(Deployment, "holdfast", "pvc-protection-protect", "merge", { spec });
  for (const asked of [["explain"], ["what-if", "delete"]]) {
    const { code, out } = await cluster.holdfast([...asked, "pvc/data", "-n", "shop"]);
    expect([code, out]).toEqual([
      2,
      expect.stringMatching(/Not known: .*FINALIZER.* of pvc-protection-protect could not/),
    ]);
  }
});

test("replay --act ends with 2 where the write is refused", async () => {
  const cluster = await refused();
  const { code, err } = await cluster.holdfast(act);
  expect(code).toBe(2);
  expect(err).toContain("The function would answer 403: ");
});

test("replay of a function that is not installed ends with 2, unless its default settings are asked for", async () => {
  const cluster = await refused();
  await cluster.admin.delete(Deployment, "holdfast", "pvc-protection-protect");
  const { code, out, err } = await cluster.holdfast(act, ["*"], ["patch"]);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain("The function pvc-protection-protect is not installed in namespace holdfast");
  expect(await finalizers(cluster)).toEqual([inTree]);
  expect(await cluster.holdfast([...act, "--defaults"], ["*"], ["patch"])).toMatchObject({ code: 0, err: "" });
  expect(await finalizers(cluster)).toEqual([inTree, "holdfast.dev/pvc-protection"]);
});
