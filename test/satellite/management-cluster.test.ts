import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { output, ZodObject } from "zod";
import { customResourceDefinition } from "../../build/manifests/crd/definition.ts";
import { seededRandom } from "../../eventing/random.ts";
import { Cluster, LinstorSatellite, Machine } from "../../functions/satellite/lib/kinds.ts";
import { preDrainHook, preTerminateHook } from "../../functions/satellite/lib/machine.ts";
import { satelliteRule } from "../../functions/satellite/lib/satellite-rule.ts";
import { customKinds } from "../../functions/satellite/lib/schema/custom-kinds.ts";
import { register } from "../../functions/satellite/register/rule.ts";
import { setHooks } from "../../functions/satellite/set-hooks/rule.ts";
import { type HttpServer, serveHttp } from "../../local/apiserver/http.ts";
import { createApiServer } from "../../local/apiserver/server.ts";
import { definitions } from "../../local/cluster-api/kinds.ts";
import { CustomResourceDefinition } from "../../local/controllers/objects/kinds.ts";
import { systemClock } from "../../shared/clock.ts";
import { type Client, createClient } from "../../shared/kubernetes/client.ts";
import { type Kind, Namespace, Node } from "../../shared/kubernetes/kind.ts";
import { receive } from "../../shared/pipeline/receive.ts";
import type { Rule } from "../../shared/rule.ts";
import type { Systems } from "../../shared/system/system.ts";
import { tokenKubeconfig } from "../cluster/token-kubeconfig.ts";
import { manifest } from "../harness/manifest.ts";
import { rules } from "./rules.ts";

const namespace = "machines";
const beta1 = (kind: Kind): Kind => ({ ...kind, apiVersion: "cluster.x-k8s.io/v1beta1" });
const node = "node-1";

let own: ReturnType<typeof createApiServer>;
let management: ReturnType<typeof createApiServer>;
let served: HttpServer;
let folder: string;
let here: Client;
let there: Client;

beforeEach(async () => {
  const random = seededRandom(7);
  [own, management] = [0, 1].map(() => createApiServer({ clock: systemClock, random })) as [typeof own, typeof own];
  here = createClient(own.handle);
  there = createClient(management.handle);
  served = await serveHttp(management);
  folder = mkdtempSync(join(tmpdir(), "holdfast-management-"));
  const cluster = { name: "management", server: served.url, skipTLSVerify: true };
  writeFileSync(join(folder, "value"), tokenKubeconfig(cluster, "none"));

  for (const definition of customKinds.map(customResourceDefinition))
    await here.create(CustomResourceDefinition, definition as never);
  await here.create(Namespace, manifest(Namespace, { name: "holdfast" }));
  const annotations = { "cluster.x-k8s.io/machine": "worker", "cluster.x-k8s.io/cluster-namespace": namespace };
  await here.create(Node, manifest(Node, { name: node, annotations }));
  const spec = { clusterRef: { name: "linstorcluster" }, deletionPolicy: "Evacuate" };
  await here.create(LinstorSatellite, manifest(LinstorSatellite, { name: node }, { spec }));

  await there.create(Namespace, manifest(Namespace, { name: namespace }));
  for (const definition of definitions) {
    const text = JSON.stringify(definition).replaceAll("v1beta2", "v1beta1");
    await there.create(CustomResourceDefinition, JSON.parse(text));
  }
  await there.create(beta1(Cluster), manifest(beta1(Cluster), { name: "workload", namespace }, { spec: {} }));
  const machine = { spec: { clusterName: "workload" }, status: { nodeRef: { name: node } } };
  await there.create(beta1(Machine), manifest(beta1(Machine), { name: "worker", namespace }, machine));
});
afterEach(async () => {
  await served.close();
  for (const server of [own, management]) server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** An event about the satellite, given to the function with this setting. */
const delivered = (clusterApiKubeconfig: string) => handlerOf(setHooks, clusterApiKubeconfig)();

function handlerOf<Schema extends ZodObject, Facts, Used extends Systems>(
  rule: Rule<Schema, Facts, Used>,
  clusterApiKubeconfig: string,
  observedClient?: (client: Client) => Client,
) {
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const settings = { ...rule.settings.parse({}), clusterApiKubeconfig } as output<Schema>;
  const own = { url: "http://linstor-controller:3370", nodes: { list: async () => [] } };
  const connect = () => ({ at: () => own }) as never;
  const observed = observedClient ? { observedClient } : {};
  const handle = receive(rule, { client: () => here, connect, clock: systemClock, log, settings, ...observed });
  const { apiVersion, kind } = LinstorSatellite;
  const event = { specversion: "1.0", id: "1", source: "test", type: "dev.holdfast.sweep", name: node, namespace: "" };
  const all = Object.entries({ ...event, apiversion: apiVersion, kind }).map(([key, value]) => [`ce-${key}`, value]);
  return () => handle({ headers: Object.fromEntries(all), body: "" });
}
const annotationsOf = async () => (await there.get(beta1(Machine), namespace, "worker"))?.metadata.annotations ?? {};

test("Machines of a management cluster get their hooks there, in the version that it serves", async () => {
  expect((await delivered(join(folder, "value"))).status).toBe(204);
  expect(Object.keys(await annotationsOf()).sort()).toEqual([preDrainHook, preTerminateHook].sort());
  const satellite = await here.get(LinstorSatellite, undefined, node);
  expect(satellite?.metadata.annotations?.["holdfast.dev/machine"]).toBe(JSON.stringify({ namespace, name: "worker" }));
});

test("with telemetry, calls of the management cluster are observed, and none of the own one twice", async () => {
  const seen: string[] = [];
  const handle = handlerOf(setHooks, join(folder, "value"), (client) => ({
    ...client,
    get: (kind, ...rest) => {
      seen.push(`get ${kind.kind}`);
      return client.get(kind, ...rest);
    },
    patch: (kind, ...rest) => {
      seen.push(`patch ${kind.kind}`);
      return client.patch(kind, ...rest);
    },
  }));
  expect((await handle()).status).toBe(204);
  expect([...new Set(seen)].sort()).toEqual(["get Cluster", "get Machine", "patch Machine"]);
});

test("without the setting the function's own cluster is asked, which serves no Machines", async () => {
  expect((await delivered("")).status).toBe(204);
  expect(await annotationsOf()).toEqual({});
});

test("an unreachable management cluster is not one without Machines: the event is delivered again", async () => {
  expect((await delivered(join(folder, "absent"))).status).toBe(503);
  await served.close();
  expect((await delivered(join(folder, "value"))).status).toBe(503);
  served = await serveHttp(management);
});

test("a kubeconfig that cannot be read is named on the object, and read again at the next event", async () => {
  const file = join(folder, "later");
  const handle = handlerOf(setHooks, file);
  expect((await handle()).status).toBe(503);
  const { annotations = {} } = (await here.get(LinstorSatellite, undefined, node))?.metadata ?? {};
  const away = JSON.parse(annotations["holdfast.dev/satellite.set-hooks.away"] ?? "{}");
  expect(away).toMatchObject({ step: "ClusterAPIUnreachable", since: expect.stringMatching(/^20/) });
  expect(away.because).toMatch(new RegExp(`waits for Cluster API since 20.*${file}.*Mount the kubeconfig`));
  copyFileSync(join(folder, "value"), file);
  expect((await handle()).status).toBe(204);
  expect(Object.keys(await annotationsOf()).sort()).toEqual([preDrainHook, preTerminateHook].sort());
});

test("a kubeconfig that cannot be read stops no rule that needs no Machine", async () => {
  expect((await handlerOf(register, join(folder, "absent"))()).status).toBe(204);
});

test("every rule that looks at Machines looks for them there", () => {
  const looking = rules.filter(({ permissions }) => permissions.some(({ resource }) => resource.kind === Machine.kind));
  expect(looking.length).toBeGreaterThan(10);
  expect(looking.filter(({ client }) => client !== satelliteRule.client).map(({ name }) => name)).toEqual([]);
});
