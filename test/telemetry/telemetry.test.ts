import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Bundle, bundleFor, eagerPart } from "../../bench/budget/bundle.ts";
import { writeKubeconfig } from "../../bench/kubeconfig.ts";
import { seededRandom } from "../../eventing/random.ts";
import { serveHttp } from "../../local/apiserver/http.ts";
import { createApiServer } from "../../local/apiserver/server.ts";
import { systemClock } from "../../shared/clock.ts";
import { type Client, createClient } from "../../shared/kubernetes/client.ts";
import { type Kind, Namespace, PersistentVolumeClaim, Pod } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { freePorts } from "../cluster/free-ports.ts";
import { bareNode } from "../worlds/cluster-objects.ts";
import { claim, pod } from "../worlds/manifest.ts";
import { type Collector, linesOf, startCollector, treeOf } from "./collector.ts";

const bundles = new Map<string, Bundle>();
beforeAll(async () => {
  for (const rule of ["protect", "release"]) bundles.set(rule, await bundleFor(`pvc-protection/${rule}`));
});
afterAll(() => Promise.all([...bundles.values()].map((bundle) => bundle.remove())));

const bundleOf = (rule: string) => bundles.get(rule) as Bundle;

async function cluster(): Promise<{ readonly admin: Client; readonly kubeconfig: string }> {
  const server = createApiServer({ clock: systemClock, random: seededRandom(1), objectInUseProtection: false });
  const http = await serveHttp(server);
  onTestFinished(async () => {
    server.close();
    await http.close();
  });
  const admin = createClient(server.handle);
  await admin.create(Namespace, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "shop" },
  } as KubernetesObject);
  return { admin, kubeconfig: writeKubeconfig(http.url) };
}

/** A function of PVC protection, as bundled, in a process of its own. */
async function startFunction(rule: string, environment: Readonly<Record<string, string>>) {
  const [port] = await freePorts(1);
  const child = spawn(process.execPath, [bundleOf(rule).entry], {
    env: { PORT: String(port), LOG_LEVEL: "debug", ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let log = "";
  const up = Promise.withResolvers<void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    log += text;
    if (log.includes("The function listens.")) up.resolve();
  });
  await up.promise;
  return {
    log: () => log,
    async send(change: string, kind: Kind, object: KubernetesObject, headers: Readonly<Record<string, string>> = {}) {
      const { namespace = "", name } = object.metadata;
      const response = await fetch(`http://127.0.0.1:${port}/`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "ce-specversion": "1.0",
          "ce-id": `${change}-${name}`,
          "ce-source": "test",
          "ce-type": `dev.knative.apiserver.resource.${change}`,
          "ce-apiversion": kind.apiVersion,
          "ce-kind": kind.kind,
          "ce-namespace": namespace,
          "ce-name": name,
          ...headers,
        },
        body: JSON.stringify(object),
      });
      return response.status;
    },
    /** Ends it as Knative does. Milliseconds until it is gone. */
    async end(): Promise<number> {
      const since = performance.now();
      child.kill("SIGTERM");
      await once(child, "exit");
      return performance.now() - since;
    },
  };
}

const get = async (admin: Client, name = "data") =>
  (await admin.get(PersistentVolumeClaim, "shop", name)) as KubernetesObject;

/** Deletes a claim that a pod uses. */
async function deletedClaim(admin: Client, name = "data"): Promise<KubernetesObject> {
  const finalizers = ["holdfast.dev/pvc-protection"];
  await admin.create(PersistentVolumeClaim, claim({ namespace: "shop", name, finalizers }));
  await admin.create(Pod, pod({ namespace: "shop", name: `${name}-user` }, [name], { nodeName: bareNode }));
  await admin.delete(PersistentVolumeClaim, "shop", name);
  return get(admin, name);
}

const traceId = (digit: number) => String(digit).repeat(32);
const parent = (digit: number) => `00-${traceId(digit)}-${String(digit).repeat(16)}-01`;

const settings = ({ url }: Pick<Collector, "url">) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
});

test("the life of a claim is traced, from the event to each read, decision and write, and counted", async () => {
  const collector = await startCollector();
  onTestFinished(collector.stop);
  const { admin, kubeconfig } = await cluster();
  const environment = {
    KUBECONFIG: kubeconfig,
    ...settings(collector),
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20secret",
  };
  const protect = await startFunction("protect", environment);
  const release = await startFunction("release", { ...environment, OTEL_SERVICE_NAME: "mine" });

  await admin.create(PersistentVolumeClaim, claim({ namespace: "shop", name: "data" }));
  expect(await protect.send("add", PersistentVolumeClaim, await get(admin), { traceparent: parent(1) })).toBe(204);
  await admin.create(Pod, pod({ namespace: "shop", name: "user" }, ["data"], { nodeName: bareNode }));
  const user = (await admin.get(Pod, "shop", "user")) as KubernetesObject;
  // It concerns no rule, and makes no trace.
  expect(await release.send("update", Pod, user, { traceparent: parent(9) })).toBe(204);
  await admin.delete(PersistentVolumeClaim, "shop", "data");
  // A broker's hop, in a trace that began elsewhere.
  const headers = { traceparent: parent(2), "ce-traceparent": parent(7) };
  expect(await release.send("update", PersistentVolumeClaim, await get(admin), headers)).toBe(204);
  await admin.delete(Pod, "shop", "user", { gracePeriodSeconds: 0 });
  expect(await release.send("delete", Pod, user, { "ce-traceparent": parent(3) })).toBe(204);
  await Promise.all([protect.end(), release.end()]);

  const look = ["      get PersistentVolumeClaim", "      list PersistentVolumeClaim", "      list Pod"];
  expect(treeOf(collector.spans, traceId(1))).toEqual([
    "CloudEvents Process dev.knative.apiserver.resource.add",
    ...["  run pvc-protection/protect", "    look", "      list PersistentVolumeClaim", "    decide"],
    ...["    write", "      patch PersistentVolumeClaim"],
  ]);
  expect(treeOf(collector.spans, traceId(2))).toEqual([
    "CloudEvents Process dev.knative.apiserver.resource.update",
    ...["  run pvc-protection/release", "    look", ...look, "    decide"],
    ...["    wait", "      create Event", "      patch PersistentVolumeClaim"],
  ]);
  expect(treeOf(collector.spans, traceId(3))).toEqual([
    "CloudEvents Process dev.knative.apiserver.resource.delete",
    ...["  run pvc-protection/release", "    look", ...look, "    decide"],
    // What nothing depends on comes after all decisions.
    ...["    write", "      patch PersistentVolumeClaim", "    delete Event", "    delete Event"],
  ]);
  expect(treeOf(collector.spans, traceId(9))).toEqual([]);
  expect(collector.spans.flatMap(({ links = [] }) => links.map(({ traceId }) => traceId))).toEqual([traceId(7)]);
  expect(new Set(collector.from.map(({ service }) => service))).toEqual(new Set(["pvc-protection-protect", "mine"]));
  expect(new Set(collector.from.map(({ headers }) => headers.authorization))).toEqual(new Set(["Bearer secret"]));
  expect(linesOf(collector.metrics)).toEqual([
    "holdfast.call.duration kubernetes create: 1",
    "holdfast.call.duration kubernetes delete: 2",
    "holdfast.call.duration kubernetes get: 2",
    "holdfast.call.duration kubernetes list: 5",
    "holdfast.call.duration kubernetes patch: 3",
    "holdfast.decisions pvc-protection/protect write: 1",
    "holdfast.decisions pvc-protection/release wait: 1",
    "holdfast.decisions pvc-protection/release write: 1",
    "holdfast.event.duration pvc-protection/protect 204: 1",
    "holdfast.event.duration pvc-protection/release 204: 3",
    "holdfast.run.duration pvc-protection/protect: 1",
    "holdfast.run.duration pvc-protection/release: 2",
    "holdfast.steps.entered pvc-protection/release held: 1",
  ]);
});

test.each(["is away", "never answers"])("a collector that %s delays no rule, and fails none", async (what) => {
  const collector = await startCollector({ answers: false });
  onTestFinished(collector.stop);
  if (what === "is away") collector.stop();
  const { admin, kubeconfig } = await cluster();
  const soon = { OTEL_BSP_SCHEDULE_DELAY: "50", OTEL_METRIC_EXPORT_INTERVAL: "100", OTEL_METRIC_EXPORT_TIMEOUT: "90" };
  const release = await startFunction("release", { KUBECONFIG: kubeconfig, ...settings(collector), ...soon });
  for (let time = 1; time <= 5; time++) {
    const since = performance.now();
    const deleted = await deletedClaim(admin, `data-${time}`);
    expect(await release.send("update", PersistentVolumeClaim, deleted)).toBe(204);
    expect(Object.keys((await get(admin, `data-${time}`)).metadata.annotations ?? {})).toContain(
      "holdfast.dev/pvc-protection.release",
    );
    // The shortest time that an export is waited for is longer.
    expect(performance.now() - since).toBeLessThan(5_000);
  }
  await expect.poll(() => release.log(), { timeout: 20_000 }).toContain("Telemetry was not sent");
  // By itself the exporter waits for ten seconds.
  expect(await release.end()).toBeLessThan(6_000);
  expect(release.log().match(/Telemetry was not sent/g)).toHaveLength(1);
});

test("a variable that OpenTelemetry cannot use is reported, and the rule does its work", async () => {
  const { admin, kubeconfig } = await cluster();
  const environment = { KUBECONFIG: kubeconfig, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" };
  const release = await startFunction("release", { ...environment, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" });
  expect(release.log()).toContain("traces and metrics are sent over http/protobuf or http/json");
  expect(await release.send("update", PersistentVolumeClaim, await deletedClaim(admin))).toBe(204);
});

test.each([
  ["no endpoint is named", {}],
  ["the SDK is disabled", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", OTEL_SDK_DISABLED: "true" }],
])("nothing of telemetry is loaded where %s", async (_, environment) => {
  rmSync(join(bundleOf("protect").folder, "telemetry.cjs"), { force: true });
  const { admin, kubeconfig } = await cluster();
  const protect = await startFunction("protect", { KUBECONFIG: kubeconfig, ...environment });
  await admin.create(PersistentVolumeClaim, claim({ namespace: "shop", name: "data" }));
  expect(await protect.send("add", PersistentVolumeClaim, await get(admin))).toBe(204);
  expect((await get(admin)).metadata.finalizers).toContain("holdfast.dev/pvc-protection");
  expect(protect.log()).not.toContain("telemetry");
});

test("what a start evaluates has the switch of telemetry, and no more of it", () => {
  const { inputs } = eagerPart(bundleOf("release"));
  expect(inputs.filter((path) => /opentelemetry|shared\/telemetry\//.test(path))).toEqual([
    "shared/telemetry/observed-rule.ts",
    "shared/telemetry/telemetry.ts",
  ]);
});
