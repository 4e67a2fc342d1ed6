import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { parse, stringify } from "yaml";
import { customResourceDefinition } from "../../build/manifests/crd/definition.ts";
import { fieldManager } from "../../functions/pvc-retention/lib/field-managers.ts";
import { LinstorSatellite } from "../../functions/satellite/lib/kinds.ts";
import { witness } from "../../functions/satellite/lib/linstor/objects.ts";
import { customKinds } from "../../functions/satellite/lib/schema/custom-kinds.ts";
import { serveSystem } from "../../local/system-server/serve-system.ts";
import { outcomeOf } from "../../local/time/testing/outcome-of.ts";
import { Namespace, Node, PersistentVolumeClaim, Pod, StatefulSet } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { openBed } from "../contract/linstor/stand-in.ts";
import { install } from "../harness/installation.ts";
import { claim, manifest, pod, statefulSet } from "../harness/manifest.ts";
import { type CliCluster, openCliCluster } from "./open-cluster.ts";

const release = "pvc-protection/release";
const ours = "holdfast.dev/pvc-protection";

/** A claim with our finalizer, which a pod uses. */
async function usedClaim(functions: readonly string[] = [release]): Promise<CliCluster> {
  const cluster = await openCliCluster(functions);
  const { admin } = cluster;
  await admin.create(Namespace, manifest(Namespace, { name: "shop" }));
  await admin.create(PersistentVolumeClaim, claim({ namespace: "shop", name: "data", finalizers: [ours] }));
  await admin.create(Pod, pod({ namespace: "shop", name: "web" }, ["data"], { nodeName: "worker-1" }));
  return cluster;
}

const live = async ({ admin }: CliCluster) =>
  (await admin.get<KubernetesObject>(PersistentVolumeClaim, "shop", "data")) as KubernetesObject;

/** A file with the claim, as it is and changed. */
async function fileOf(cluster: CliCluster, change: (claim: KubernetesObject) => void): Promise<string> {
  const object = structuredClone(await live(cluster));
  change(object);
  return writeYaml(object);
}

function writeYaml(object: object): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-try-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "object.yaml"), stringify(object));
  return join(folder, "object.yaml");
}

test("of a claim that is not being deleted, release has nothing to decide", async () => {
  const cluster = await usedClaim();
  const { code, out } = await cluster.holdfast(["try", release, "pvc/data", "-n", "shop"]);
  expect([code, out]).toEqual([
    0,
    `${release} has nothing to decide about PersistentVolumeClaim shop/data.\nNothing was written.\n`,
  ]);
});

test("as if it were being deleted, the claim waits for its pod, and the patch that says so is printed", async () => {
  const cluster = await usedClaim();
  const before = await live(cluster);
  const file = await fileOf(cluster, ({ metadata }) => {
    metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
  });
  const { code, out } = await cluster.holdfast(["try", release, "pvc/data", "-n", "shop", "--as-if", file]);
  expect(code).toBe(0);
  expect(out).toMatch(/^wait PersistentVolumeClaim shop\/data: Claim data is kept, because pod web on node worker-1/);
  expect(out).toContain("  - record the Normal Event DeletionPostponed\n");
  expect(out).toContain("  - patch PersistentVolumeClaim shop/data by merge patch\n");
  expect(out).toContain("          holdfast.dev/pvc-protection.release:");
  expect(await live(cluster)).toEqual(before);
});

test("as if a set had no policy, its field is released, even if the file names no field manager", async () => {
  const cluster = await openCliCluster(["pvc-retention/sync-policy"]);
  const { admin } = cluster;
  await admin.create(Namespace, manifest(Namespace, { name: "shop" }));
  await admin.create(StatefulSet, statefulSet({ namespace: "shop", name: "web" }));
  const persistentVolumeClaimRetentionPolicy = { whenDeleted: "Delete", whenScaled: "Retain" };
  const applied = manifest(
    StatefulSet,
    { namespace: "shop", name: "web" },
    { spec: { persistentVolumeClaimRetentionPolicy } },
  );
  const options = { fieldManager, force: true };
  const set = (await admin.patch<KubernetesObject>(
    StatefulSet,
    "shop",
    "web",
    "apply",
    applied,
    options,
  )) as KubernetesObject;
  const { managedFields: _, creationTimestamp: __, ...metadata } = set.metadata;
  const file = writeYaml({ ...set, metadata });
  const { code, out } = await cluster.holdfast([
    "try",
    "pvc-retention/sync-policy",
    "sts/web",
    "-n",
    "shop",
    "--as-if",
    file,
  ]);
  expect(code).toBe(0);
  expect(out).toMatch(/^write StatefulSet shop\/web: /);
});

test("as if no finalizer of Kubernetes and no pod held it, the patch removes the finalizer", async () => {
  const cluster = await usedClaim();
  await cluster.admin.delete(Pod, "shop", "web", { gracePeriodSeconds: 0 });
  const file = await fileOf(cluster, ({ metadata }) => {
    metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
    metadata.finalizers = [ours];
  });
  const args = ["try", release, "pvc", "data", "-n", "shop", "--as-if", file];
  const { code, out } = await cluster.holdfast([...args, "-o", "yaml"]);
  expect(code).toBe(0);
  const [decision] = parse(out).decisions;
  expect(decision).toMatchObject({ decision: "write", about: "PersistentVolumeClaim shop/data" });
  const { uid } = (await live(cluster)).metadata;
  expect(decision.operations[0].sends).toEqual(
    expect.arrayContaining([
      { op: "test", path: "/metadata/uid", value: uid },
      { op: "remove", path: "/metadata/finalizers/0" },
    ]),
  );
});

test("a call of LINSTOR is printed with what it would be called with, and is not made", async () => {
  const { linstor, clock, ask } = await openBed(["w1", "w2"]);
  linstor.addVolume("once", { copies: ["w1"] });
  await ask("PUT", "/v1/nodes/w1", { override_props: { [witness]: "test" } });
  await ask("PUT", "/v1/nodes/w1/evacuate", {});
  const flags = async () => {
    const nodes = (await ask("GET", "/v1/nodes")).body as readonly { name: string; flags?: string[] }[];
    return nodes.find(({ name }) => name === "w1")?.flags;
  };
  const before = await flags();
  expect(before).toContain("EVACUATE");
  const asked: string[] = [];
  const served = await serveSystem((request) => {
    asked.push(request.method);
    return outcomeOf(clock, linstor.transport(request), 60_000);
  });
  onTestFinished(() => served.close());
  vi.stubEnv("LINSTOR_URL", served.url);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { admin, holdfast } = await openCliCluster(["satellite/restore"]);
  await install(admin, customKinds.map(customResourceDefinition) as unknown as KubernetesObject[]);
  await admin.create(Node, manifest(Node, { name: "w1" }));
  await admin.create(
    LinstorSatellite,
    manifest(LinstorSatellite, { name: "w1" }, { spec: { clusterRef: { name: "a" } } }),
  );
  const { code, out } = await holdfast(["try", "satellite/restore", "linstorsatellite/w1"]);
  expect(code, out).toBe(0);
  expect(out).toMatch(/^call LinstorSatellite w1: LinstorSatellite w1 stays: LINSTOR undoes its evacuation\.\n/);
  expect(out).toMatch(/\n {2}- call linstor: restore a node\n(?: {6}.*\n)*? {6}node: w1\n/);
  expect(new Set(asked)).toEqual(new Set(["GET"]));
  expect(await flags()).toEqual(before);
});

test("a rule whose function is not installed is asked with its defaults, which is said", async () => {
  const cluster = await usedClaim([]);
  const { out } = await cluster.holdfast(["try", release, "pvc/data", "-n", "shop"]);
  expect(out).toContain("The function pvc-protection-release is not installed: the rule was asked with its defaults.");
});

test("what the user may not read ends it with 2", async () => {
  const cluster = await usedClaim();
  await cluster.admin.delete(PersistentVolumeClaim, "shop", "data");
  const reads = ["persistentvolumeclaims", "deployments", "services"];
  const { code, out } = await cluster.holdfast(["try", release, "pvc/data", "-n", "shop"], reads);
  expect(code).toBe(2);
  expect(out).toContain(`${release} could not look: `);
});

test.each([
  [["nope", "pvc/data"], "There is no rule nope; name one of: "],
  [[release, "pvc/data", "--as-if", "/nope"], "/nope cannot be read: ENOENT"],
])("try %j ends with 2 and says what is wrong", async (args, message) => {
  const cluster = await usedClaim();
  const { code, err } = await cluster.holdfast(["try", ...args, "-n", "shop"]);
  expect([code, err]).toEqual([2, expect.stringContaining(`holdfast: ${message}`)]);
});
