import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { type Bundle, bundleFor, eagerPart } from "../../bench/budget/bundle.ts";
import { writeKubeconfig } from "../../bench/kubeconfig.ts";
import { seededRandom } from "../../eventing/random.ts";
import { serveHttp } from "../../local/apiserver/http.ts";
import { createApiServer } from "../../local/apiserver/server.ts";
import { systemClock } from "../../shared/clock.ts";
import { type Client, createClient } from "../../shared/kubernetes/client.ts";
import { ConfigMap, type Kind, Namespace, PersistentVolumeClaim, Pod } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { freePorts } from "../cluster/free-ports.ts";
import { bareNode } from "../harness/cluster-objects.ts";
import { claim, pod } from "../harness/manifest.ts";
import { root } from "../manifests/kustomization.ts";
import { type Collector, linesOf, startCollector, treeOf } from "./collector.ts";

const bundles = new Map<string, Bundle>();
beforeAll(async () => {
  for (const name of ["pvc-protection/protect", "pvc-protection/release", "platform/sweep"])
    bundles.set(name, await bundleFor(name));
});
afterAll(() => Promise.all([...bundles.values()].map((bundle) => bundle.remove())));

const bundleOf = (name: string) => bundles.get(name) as Bundle;

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

/** A function, as bundled, in a process of its own. */
async function startFunction(name: string, environment: Readonly<Record<string, string>>) {
  const [port] = await freePorts(1);
  const child = spawn(process.execPath, [bundleOf(name).entry], {
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
  const protect = await startFunction("pvc-protection/protect", environment);
  const release = await startFunction("pvc-protection/release", { ...environment, OTEL_SERVICE_NAME: "mine" });

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
  const links = collector.spans.flatMap(({ links = [] }) => links.map(({ traceId }) => traceId));
  expect(links.sort()).toEqual([traceId(2), traceId(7)]);
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

test("each trace of a deleted claim links to the write that led to it, and the link causes no write", async () => {
  const collector = await startCollector();
  onTestFinished(collector.stop);
  const { admin, kubeconfig } = await cluster();
  const release = await startFunction("pvc-protection/release", { KUBECONFIG: kubeconfig, ...settings(collector) });
  const silent = await startFunction("pvc-protection/release", { KUBECONFIG: kubeconfig });
  const deleted = await deletedClaim(admin);
  expect(await release.send("update", PersistentVolumeClaim, deleted, { traceparent: parent(1) })).toBe(204);
  const held = await get(admin);
  // The function's own write comes back as an event.
  expect(await release.send("update", PersistentVolumeClaim, held, { traceparent: parent(2) })).toBe(204);
  expect(await silent.send("update", PersistentVolumeClaim, held)).toBe(204);
  expect((await get(admin)).metadata.resourceVersion).toBe(held.metadata.resourceVersion);
  const user = (await admin.get(Pod, "shop", "data-user")) as KubernetesObject;
  await admin.delete(Pod, "shop", "data-user", { gracePeriodSeconds: 0 });
  expect(await release.send("delete", Pod, user, { traceparent: parent(3) })).toBe(204);
  await release.end();

  const traced = (digit: number) => collector.spans.filter((span) => span.traceId === traceId(digit));
  const linksOf = (digit: number) => traced(digit).flatMap(({ links = [] }) => links);
  const write = traced(1).find(({ name }) => name === "patch PersistentVolumeClaim");
  expect(linksOf(1)).toEqual([]);
  for (const digit of [2, 3]) expect(linksOf(digit)).toMatchObject([{ traceId: traceId(1), spanId: write?.spanId }]);

  expect(await silent.send("update", PersistentVolumeClaim, await deletedClaim(admin, "other"))).toBe(204);
  const { annotations = {} } = (await get(admin, "other")).metadata;
  expect(annotations["holdfast.dev/pvc-protection.release"]).toContain('"step":"held"');
  expect(annotations["holdfast.dev/pvc-protection.release"]).not.toContain("trace");
});

/** Series and labels as an OpenTelemetry collector gives them to Prometheus. */
function seriesOf(metrics: Collector["metrics"]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const escaped = (name: string) => name.replaceAll(/[^\w]/g, "_");
  for (const { name, unit, kind, dataPoints } of metrics) {
    const whole = `${escaped(name)}${unit === "s" ? "_seconds" : ""}`;
    const ends = { sum: ["_total"], gauge: [""], histogram: ["_bucket", "_count", "_sum"] }[kind];
    for (const series of ends.map((end) => whole + end)) {
      const labels = found.get(series) ?? new Set(kind === "histogram" ? ["le"] : []);
      for (const key of dataPoints.flatMap(({ keys }) => keys)) labels.add(escaped(key));
      found.set(series, labels);
    }
  }
  return found;
}

/** The series of a query, each with the labels that it must have: those of its selector, and those of all groups. */
function namedIn(query: string): readonly { readonly series: string; readonly labels: readonly string[] }[] {
  const groups = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = ""]) => names.split(/,\s*/));
  const ungrouped = query.replaceAll(/\bby \([^)]*\)/g, "");
  return [...ungrouped.matchAll(/\b(holdfast_\w+)(?:\{([^}]*)\})?/g)].map(([, series = "", selector = ""]) => ({
    series,
    labels: [...groups, ...[...selector.matchAll(/(\w+)\s*=/g)].map(([, label = ""]) => label)],
  }));
}

test("every series and label that an alert or a panel names is sent", async () => {
  const collector = await startCollector();
  onTestFinished(collector.stop);
  const { admin, kubeconfig } = await cluster();
  const environment = { KUBECONFIG: kubeconfig, ...settings(collector), NAMESPACE: "shop" };
  const release = await startFunction("pvc-protection/release", environment);
  await deletedClaim(admin);
  for (let time = 1; time <= 2; time++)
    expect(await release.send("update", PersistentVolumeClaim, await get(admin))).toBe(204);
  const cut = { ...environment, KUBECONFIG: writeKubeconfig("http://127.0.0.1:1") };
  const away = await startFunction("pvc-protection/release", cut);
  expect(await away.send("update", PersistentVolumeClaim, await get(admin))).toBe(503);
  // A table without a broker that could be reached: the sweep lists all the same.
  const row = { rule: "pvc-protection/release", apiVersion: "v1", kind: "PersistentVolumeClaim" };
  const table = [{ ...row, resource: "persistentvolumeclaims", sink: "http://127.0.0.1:1/" }];
  await admin.create(ConfigMap, {
    ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "holdfast-sweep", namespace: "shop" } },
    data: { "table.yaml": JSON.stringify(table) },
  } as unknown as KubernetesObject);
  const sweep = await startFunction("platform/sweep", { ...environment, SINK_HOSTS: "127.0.0.1:1", TICK: "1" });
  expect(await sweep.send("update", PersistentVolumeClaim, await get(admin))).toBe(204);
  await Promise.all([release.end(), away.end(), sweep.end()]);

  const sent = seriesOf(collector.metrics);
  const monitoring = (file: string) => readFileSync(join(root, "knative/monitoring", file), "utf8");
  const { groups } = parse(monitoring("alerts.yaml")) as { groups: { rules: { expr: string }[] }[] };
  const { panels } = JSON.parse(monitoring("dashboard.json")) as { panels: { targets?: { expr: string }[] }[] };
  const queries = [...groups.flatMap(({ rules }) => rules), ...panels.flatMap(({ targets = [] }) => targets)];
  const named = queries.flatMap(({ expr }) => namedIn(expr));
  expect(new Set(named.map(({ series }) => series)).size).toBeGreaterThan(6);
  const missing = named.flatMap(({ series, labels }) =>
    labels.flatMap((label) => (sent.get(series)?.has(label) ? [] : `${series}{${label}}`)),
  );
  expect(missing).toEqual([]);
  const held = collector.metrics.filter(({ name }) => name === "holdfast.step.oldest");
  expect(held.flatMap(({ dataPoints }) => dataPoints).at(-1)?.attributes).toEqual(["pvc-protection/release", "held"]);
});

test.each(["is away", "never answers"])("a collector that %s delays no rule, and fails none", async (what) => {
  const collector = await startCollector({ answers: false });
  onTestFinished(collector.stop);
  if (what === "is away") collector.stop();
  const { admin, kubeconfig } = await cluster();
  const soon = { OTEL_BSP_SCHEDULE_DELAY: "50", OTEL_METRIC_EXPORT_INTERVAL: "100", OTEL_METRIC_EXPORT_TIMEOUT: "90" };
  const release = await startFunction("pvc-protection/release", {
    KUBECONFIG: kubeconfig,
    ...settings(collector),
    ...soon,
  });
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
  const release = await startFunction("pvc-protection/release", {
    ...environment,
    OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
  });
  expect(release.log()).toContain("traces and metrics are sent over http/protobuf or http/json");
  expect(await release.send("update", PersistentVolumeClaim, await deletedClaim(admin))).toBe(204);
});

test.each([
  ["no endpoint is named", {}],
  ["the SDK is disabled", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", OTEL_SDK_DISABLED: "true" }],
])("nothing of telemetry is loaded where %s", async (_, environment) => {
  rmSync(join(bundleOf("pvc-protection/protect").folder, "telemetry.cjs"), { force: true });
  const { admin, kubeconfig } = await cluster();
  const protect = await startFunction("pvc-protection/protect", { KUBECONFIG: kubeconfig, ...environment });
  await admin.create(PersistentVolumeClaim, claim({ namespace: "shop", name: "data" }));
  expect(await protect.send("add", PersistentVolumeClaim, await get(admin))).toBe(204);
  expect((await get(admin)).metadata.finalizers).toContain("holdfast.dev/pvc-protection");
  expect(protect.log()).not.toContain("telemetry");
});

test("what a start evaluates has the switch of telemetry, and no more of it", () => {
  const { inputs } = eagerPart(bundleOf("pvc-protection/release"));
  expect(inputs.filter((path) => /opentelemetry|shared\/telemetry\//.test(path))).toEqual([
    "shared/telemetry/observed-rule.ts",
    "shared/telemetry/telemetry.ts",
  ]);
});
