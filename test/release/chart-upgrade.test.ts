import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { loadDeclared, loadSystems } from "../../build/manifests/declared.ts";
import { chartOf } from "../../build/release/chart/chart.ts";
import { imageNames } from "../../esbuild.config.mjs";
import { type ControlPlane, startControlPlane } from "../cluster/control-plane.ts";
import { run } from "../cluster/kubectl.ts";
import { kubectlFolder } from "../images/testing/kubectl.ts";
import { helm, helmTemplate, writeChart } from "./helm.ts";

const root = join(import.meta.dirname, "../..");
const { KUBEBUILDER_ASSETS: assets = "" } = process.env;
const possible = Boolean(helm && kubectlFolder && assets);
if (!possible) console.log("No chart is upgraded: that takes helm, kubectl and KUBEBUILDER_ASSETS.");

/** What the functions of both versions have written, or must find again. */
const data = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
  // Functions of satellites have a Role there.
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "piraeus-datastore" } },
  {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data", namespace: "shop", finalizers: ["holdfast.dev/pvc-protection"] },
    spec: { accessModes: ["ReadWriteOnce"], storageClassName: "none", resources: { requests: { storage: "1Gi" } } },
  },
  {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "kept", annotations: { "holdfast.dev/undelete.retain": '{"v":1}' } },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      persistentVolumeReclaimPolicy: "Retain",
      storageClassName: "another",
      hostPath: { path: "/nowhere" },
    },
  },
];
const volume = {
  apiVersion: "storage.metalk8s.scality.com/v1alpha1",
  kind: "Volume",
  metadata: { name: "disk", finalizers: ["storage.metalk8s.scality.com/volume-protection"] },
  spec: { nodeName: "n0", storageClassName: "none", sparseLoopDevice: { size: "1Gi" } },
};
const definition = "customresourcedefinition/volumes.storage.metalk8s.scality.com";
/** They survive each step of Helm's, as they were. */
const mustStay = ["namespace/holdfast", "pvc/data -n shop", "pv/kept", "volume/disk"];

describe.skipIf(!possible)("a chart on a real API server, by a real helm", () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-upgrade-"));
  let plane: ControlPlane;
  const kubectl = (...args: readonly string[]) => run(args, plane.kubeconfig);
  const create = (...objects: readonly object[]) =>
    run(["create", "-f", "-"], plane.kubeconfig, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
  const call = (args: readonly string[], values?: object) =>
    execFileSync(helm as string, [...args, "--namespace", "holdfast", "--kubeconfig", plane.kubeconfig], {
      encoding: "utf8",
      stdio: "pipe",
      ...(values ? { input: JSON.stringify({ knative: false, ...values }) } : {}),
    });
  /** `what` of Helm, with the chart of a version and values. */
  const helmWith = (what: string, version: string, values: object, ...more: readonly string[]) =>
    call([what, "holdfast", join(folder, version), "--values", "-", ...more], values);
  const deployments = () => kubectl("get", "deployments", "-n", "holdfast", "-o", "name").trim().split("\n");
  const systems = () =>
    [...new Set(deployments().map((name) => /\/(platform|pvc-\w+|undelete|satellite|volume)-/.exec(name)?.[1]))].sort();
  const uids = () =>
    [...mustStay, definition].map((what) => kubectl("get", ...what.split(" "), "-o", "jsonpath={.metadata.uid}"));
  /** What functions have written. Kubernetes' own controllers write, too, but not this. */
  const written = () =>
    mustStay
      .slice(1)
      .map((what) =>
        kubectl("get", ...what.split(" "), "-o", "jsonpath={.metadata.finalizers} {.metadata.annotations} {.spec}"),
      );
  /** The image of a function, and a setting of it. */
  const release = () =>
    kubectl(
      ...["get", "deployment/pvc-protection-release", "-n", "holdfast", "-o"],
      'jsonpath={.spec.template.spec.containers[0].image} {..env[?(@.name=="MODE")].value}',
    );

  // Without Knative, these cannot be deselected.
  const always = ["platform", "pvc-protection", "pvc-retention", "undelete"];
  const old = { systems: { volume: true } };
  const settings = { "pvc-protection/release": { MODE: "document" } };
  const both = { systems: { volume: true, satellite: true } };
  const next = { systems: { satellite: true } };

  beforeAll(async () => {
    vi.stubEnv("PATH", `${kubectlFolder}${delimiter}${process.env.PATH}`);
    const booted = startControlPlane(assets);
    const [functions, systems] = await Promise.all([loadDeclared(root), loadSystems(root)]);
    const digests = new Map(imageNames().map((name) => [name, `sha256:${"3".repeat(64)}`]));
    const sources = { root, functions, systems, version: "1.2.3", description: "A chart.", repository: "r.example/h" };
    const chart = await chartOf({ ...sources, digests });
    writeChart(join(folder, "1.2.3"), chart);
    const changed = (text: string) => text.replaceAll("1.2.3", "1.2.4").replaceAll("3".repeat(64), "4".repeat(64));
    writeChart(join(folder, "1.2.4"), new Map([...chart].map(([path, text]) => [path, changed(text)])));
    plane = await booted;
    create(...data);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await plane?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("takes over nothing that it has not made, unless it is asked to", () => {
    const [name, others] = ["holdfast-pvc-protection-release", { "made-by": "others" }];
    const role = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name, labels: others },
    };
    create(role);
    const before = kubectl("get", "clusterrole", name, "-o", "yaml");
    expect(() => helmWith("install", "1.2.3", old, "--create-namespace")).toThrow(/cannot be imported/);
    expect(kubectl("get", "clusterrole", name, "-o", "yaml")).toBe(before);
    expect(kubectl("get", "deployments", "-n", "holdfast", "-o", "name")).toBe("");
    kubectl("delete", "clusterrole", name);
  });

  test("goes to another version, other systems and a setting, and back, and loses nothing", async () => {
    helmWith("install", "1.2.3", old, "--create-namespace", "--take-ownership");
    kubectl("wait", "--for=condition=established", definition);
    await vi.waitFor(() => create(volume), { timeout: 60_000, interval: 500 });
    const [first, before] = [uids(), written()];
    expect(systems()).toEqual([...always, "volume"]);
    expect(release()).toBe(`r.example/h/pvc-protection/release@sha256:${"3".repeat(64)} strict`);

    helmWith("upgrade", "1.2.4", { ...both, settings });
    expect(systems()).toEqual([...always, "satellite", "volume"].sort());
    expect(release()).toBe(`r.example/h/pvc-protection/release@sha256:${"4".repeat(64)} document`);
    call(["rollback", "holdfast", "1"]);
    expect(systems()).toEqual([...always, "volume"]);
    expect(release()).toBe(`r.example/h/pvc-protection/release@sha256:${"3".repeat(64)} strict`);
    expect([uids(), written()]).toEqual([first, before]);

    helmWith("upgrade", "1.2.4", next);
    expect(systems()).toEqual([...always, "satellite"].sort());
    // The rights of what is deselected go with it.
    expect(kubectl("get", "clusterroles", "-o", "name")).not.toContain("holdfast-volume");
    expect([uids(), written()]).toEqual([first, before]);
    helmWith("upgrade", "1.2.3", old);
    expect(systems()).toEqual([...always, "volume"]);
    expect([uids(), written()]).toEqual([first, before]);
  });

  test("leaves what another one has written by hand, and says so", () => {
    const [deployment, setting] = ["deployment/pvc-protection-release", "MODE=document"];
    expect(release()).toMatch(/ strict$/);
    kubectl("set", "env", deployment, setting, "-n", "holdfast");
    expect(() => helmWith("upgrade", "1.2.3", old)).toThrow(/conflict/);
    expect(release()).toMatch(/ document$/);
    helmWith("upgrade", "1.2.3", old, "--force-conflicts");
    expect(release()).toMatch(/ strict$/);
  });

  test("goes away, and keeps the namespace, the definitions and all data", () => {
    const before = [uids(), written()];
    call(["uninstall", "holdfast", "--wait"]);
    expect(kubectl("get", "deployments", "-n", "holdfast", "-o", "name")).toBe("");
    expect(kubectl("get", "clusterroles", "-o", "name")).not.toContain("holdfast");
    expect([uids(), written()]).toEqual(before);
  });

  test("is refused over what kubectl has applied, without a change, and takes it over if it is asked to", () => {
    const yaml = helmTemplate(join(folder, "1.2.3"), { knative: false });
    run(["apply", "-f", "-"], plane.kubeconfig, yaml);
    const roles = () =>
      kubectl("get", "clusterroles,deployments", "-n", "holdfast", "-o", "jsonpath={..uid} {..rules}");
    const before = [roles(), release()];
    expect(() => helmWith("install", "1.2.4", {}, "--take-ownership")).toThrow(/managedFields must be nil/);
    expect([roles(), release()]).toEqual(before);
    kubectl("delete", "secret", "-n", "holdfast", "-l", "owner=helm,name=holdfast");
    expect([roles(), release()]).toEqual(before);
    expect(call(["list", "-q"])).toBe("");

    expect(() => helmWith("install", "1.2.4", {}, "--take-ownership")).toThrow(/managedFields must be nil/);
    helmWith("upgrade", "1.2.4", {}, "--take-ownership", "--force-conflicts");
    expect(release()).toBe(`r.example/h/pvc-protection/release@sha256:${"4".repeat(64)} strict`);
    expect(roles()).toBe(before[0]);
  });
});
