import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { seededRandom } from "../../eventing/random.ts";
import { systemClock } from "../../shared/clock.ts";
import { type Client, createClient } from "../../shared/kubernetes/client.ts";
import { hasFinalizer } from "../../shared/kubernetes/finalizer.ts";
import { type Kind, Namespace, PersistentVolumeClaim, StatefulSet } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Transport } from "../../shared/kubernetes/transport.ts";
import { holdfastProtection } from "../../shared/storage/protection.ts";
import { type HttpServer, serveHttp } from "../apiserver/http.ts";
import { createApiServer } from "../apiserver/server.ts";
import { create } from "../cluster/install.ts";
import { createControllerTools } from "../controllers/controller-tools.ts";
import { startKubelet } from "../controllers/kubelet/start-kubelet.ts";
import { startControllers } from "../controllers/start-controllers.ts";
import { exampleObjects, exampleSet } from "../tour/objects.ts";
import { writeKubeconfig } from "./credentials.ts";
import { runStart } from "./testing/run-start.ts";

// Each test is a process or two; at a load of 25 on two cores the tours took longer than three minutes.
vi.setConfig({ testTimeout: 600_000 });

const ClusterRole: Kind = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  plural: "clusterroles",
  namespaced: false,
};

const stop = new AbortController();
const home = mkdtempSync(join(tmpdir(), "on-cluster-test-"));
let http: HttpServer;
let client: Client;
let temporary: string;

/** The cluster of an administrator: an API server with controllers and a node, and without Knative. */
beforeAll(async () => {
  const random = seededRandom(1);
  const tokens = { admin: { user: "alice", groups: ["system:masters"] }, poor: { user: "bob", groups: [] } };
  const server = createApiServer({ clock: systemClock, random, rbac: true, tokens });
  http = await serveHttp(server);
  const transport: Transport = (request) =>
    server.handle({ ...request, headers: { ...request.headers, authorization: "Bearer admin" } });
  client = createClient(transport);
  const trouble = () => {};
  startControllers({ transport, clock: systemClock, random, signal: stop.signal, trouble });
  startKubelet(createControllerTools({ transport, clock: systemClock, random, signal: stop.signal, trouble }), {
    nodes: ["one"],
  });
  const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
  const storageClass = {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    provisioner: "kubernetes.io/host-path",
  };
  await create(client, [
    { ...storageClass, metadata: { name: "standard", annotations } } as unknown as KubernetesObject,
  ]);
});
afterAll(async () => {
  stop.abort();
  await http.close();
  rmSync(home, { recursive: true });
});
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), "on-cluster-test-"));
});
afterEach(() => rmSync(temporary, { recursive: true }));

const kubeconfigOf = (token: string) =>
  writeKubeconfig(join(home, token), { server: http.url, "insecure-skip-tls-verify": true }, token, { token });

const names = async (kind: Kind) => {
  const objects = await Array.fromAsync(client.list<KubernetesObject>(kind));
  return objects.map(({ metadata }) => metadata.name).filter((name) => name.startsWith("holdfast"));
};

test("the tours come true on the cluster of a kubeconfig, which is afterwards as it was", async () => {
  const { claim } = exampleObjects("default");
  await client.create(PersistentVolumeClaim, claim);
  const protectedBefore = { name: "old", finalizers: [holdfastProtection] };
  await client.create(PersistentVolumeClaim, { ...claim, metadata: { ...claim.metadata, ...protectedBefore } });
  const set = { ...exampleSet("default"), spec: { ...(exampleSet("default").spec as object), replicas: 0 } };
  const touched: Promise<unknown>[] = [];
  const args = ["--kubeconfig", await kubeconfigOf("admin"), "--yes", "--tour-only", "--idle", "10"];
  const { code, out, err } = await runStart(args, temporary, (out) => {
    // A claim that no tour has made changes while the functions are at work.
    if (!out.includes("1. A claim") || touched.length > 0) return;
    const metadata = { labels: { team: "storage" } };
    touched.push(client.patch(PersistentVolumeClaim, "default", "data", "merge", { metadata }));
    touched.push(client.create(StatefulSet, set));
  });
  await Promise.all(touched);
  expect(err).toBe("");
  expect(code, out).toBe(0);
  expect(out).toContain("ok claim data is gone");
  expect(out).toContain("ok claim data-web-1 is there, and has no owner");
  expect(out).toMatch(/protect +write +claim default\/data/);
  expect(out).toContain(
    "The finalizer holdfast.dev/pvc-protection was removed from one PersistentVolumeClaim: default/data.",
  );
  expect(out).not.toContain("stays for ever");
  expect(out).toContain(
    "Put back as they were: StatefulSets whose persistentVolumeClaimRetentionPolicy pvc-retention/sync-policy has " +
      "written: default/web.",
  );
  expect(await names(Namespace)).toEqual([]);
  expect(await names(ClusterRole)).toEqual([]);
  const left = await client.get<KubernetesObject>(PersistentVolumeClaim, "default", "data");
  expect(left && hasFinalizer(left, holdfastProtection)).toBe(false);
  expect((await client.get(StatefulSet, "default", "web"))?.metadata.finalizers).toBeUndefined();
  const old = await client.get<KubernetesObject>(PersistentVolumeClaim, "default", "old");
  expect(old && hasFinalizer(old, holdfastProtection)).toBe(true);
  expect(readdirSync(temporary)).toEqual([]);
});

test("what is there already and not ours ends the run, and all that it had created goes", async () => {
  const name = "holdfast-pvc-protection-warn";
  const role = { apiVersion: ClusterRole.apiVersion, kind: "ClusterRole", metadata: { name }, rules: [] };
  await client.create(ClusterRole, role as unknown as KubernetesObject);
  // The finalizer of the Holdfast that is installed.
  const metadata = { finalizers: [holdfastProtection] };
  await client.patch(PersistentVolumeClaim, "default", "data", "merge", { metadata });
  const { code, err } = await runStart(["--kubeconfig", await kubeconfigOf("admin"), "--yes"], temporary);
  expect(code).toBe(1);
  const kept = await client.get<KubernetesObject>(PersistentVolumeClaim, "default", "data");
  expect(kept && hasFinalizer(kept, holdfastProtection)).toBe(true);
  expect(err).toBe(
    `holdfast: ClusterRole ${name} is there already and not ours: Holdfast seems to be installed on this ` +
      "cluster. Nothing of it was touched.\n",
  );
  expect(await names(Namespace)).toEqual([]);
  expect(await names(ClusterRole)).toEqual([name]);
  await client.delete(ClusterRole, undefined, name);
});

test("rights that are missing are named before anything is touched", async () => {
  const { code, out, err } = await runStart(["--kubeconfig", await kubeconfigOf("poor"), "--yes"], temporary);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toMatch(
    /^holdfast: poor may not create\/get\/delete\/watch\/list\/patch namespaces, .*create subjectaccessreviews\.authorization\.k8s\.io, .* on http:\/\/127\.0\.0\.1:\d+\.\n$/,
  );
  expect(err).toContain("create/delete pods, ");
  const tour = await runStart(["--kubeconfig", await kubeconfigOf("poor"), "--yes", "--tour-only"], temporary);
  expect(tour.err).toMatch(/create\/delete\/get pods, .*list events/);
});

test("Ctrl-C while the objects are being created ends the run before anything is bundled", async () => {
  const args = ["--kubeconfig", await kubeconfigOf("admin"), "--yes"];
  const { code, out, err } = await runStart(args, temporary, (out, kill) => {
    if (out.includes("At the end it removes finalizers")) kill("SIGINT");
  });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).not.toMatch(/Bundling|No function has changed/);
  expect(await names(Namespace)).toEqual([]);
  expect(await names(ClusterRole)).toEqual([]);
});

test("without a terminal and without --yes nothing is touched", async () => {
  const { code, err } = await runStart(["--kubeconfig", await kubeconfigOf("admin")], temporary);
  expect({ code, err }).toEqual({
    code: 1,
    err: "holdfast: There is no one to ask at this terminal: give --yes to go on.\n",
  });
  expect(await names(Namespace)).toEqual([]);
});
