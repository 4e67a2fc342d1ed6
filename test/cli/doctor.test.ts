import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { collect } from "../../cli/doctor/collect.ts";
import { redact } from "../../cli/doctor/redact.ts";
import { findFunctions } from "../../cli/rules/installed-functions.ts";
import { loadRules, systemNames } from "../../cli/rules/load-systems.ts";
import { ConfigMap, Event, Namespace, PersistentVolumeClaim, Pod } from "../../shared/kubernetes/kind.ts";
import { progressKey } from "../../shared/progress.ts";
import { claim, configMap, manifest, pod } from "../harness/manifest.ts";
import { installOverlay } from "./install.ts";
import { type CliCluster, openCliCluster } from "./open-cluster.ts";

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")) as {
  version: string;
};

const Secret = { apiVersion: "v1", kind: "Secret", plural: "secrets", namespaced: true };
const Deployment = { apiVersion: "apps/v1", kind: "Deployment", plural: "deployments", namespaced: true };

/** Each is planted somewhere else. */
const planted = {
  secret: "planted-in-a-secret",
  variable: "planted-in-a-variable",
  applied: "planted-in-last-applied",
  configMap: "planted-in-a-configmap",
  event: "planted-in-an-event",
  progress: "planted-in-progress",
  buffer: "planted-in-a-dead-lettered-event",
  log: "planted-in-a-log",
};

async function withPlantedSecrets(): Promise<CliCluster> {
  const cluster = await openCliCluster([]);
  const { admin } = cluster;
  await installOverlay(admin, "no-knative");
  const stringData = { password: planted.secret };
  await admin.create(Secret, manifest(Secret, { namespace: "holdfast", name: "holdfast-salt" }, { stringData }));
  const named = { namespace: "holdfast", name: "holdfast-settings" };
  await admin.create(ConfigMap, configMap(named, { SALT_PASSWORD: planted.configMap }));
  const annotations = { "kubectl.kubernetes.io/last-applied-configuration": planted.applied };
  await admin.patch(Deployment, "holdfast", "undelete-retain", "json", [
    { op: "add", path: "/metadata/annotations", value: annotations },
    {
      op: "add",
      path: "/spec/template/spec/containers/0/env/-",
      value: { name: "OS_PASSWORD", value: planted.variable },
    },
    { op: "add", path: "/spec/template/spec/containers/0/envFrom", value: [{ configMapRef: { name: named.name } }] },
  ]);
  await admin.create(Namespace, manifest(Namespace, { name: "shop" }));
  const { metadata } = await admin.create(PersistentVolumeClaim, claim({ namespace: "shop", name: "data" }));
  const because = `Salt said: {"password": "${planted.progress}"}, and ${planted.variable} was wrong.`;
  const progress = { v: 1, uid: metadata.uid, step: "in-use", since: "2026-01-01T00:00:00Z", because };
  const written = { [progressKey("pvc-protection/release")]: JSON.stringify(progress) };
  await admin.patch(PersistentVolumeClaim, "shop", "data", "merge", { metadata: { annotations: written } });
  const regarding = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: "shop", name: "data" };
  const event = {
    eventTime: "2026-01-01T00:00:00.000000Z",
    type: "Warning",
    reason: "DeletionPostponed",
    action: "Decide",
    note: `https://admin:${planted.event}@salt.example did not answer.`,
    reportingController: "holdfast.dev/pvc-protection-release",
    reportingInstance: "it",
    regarding,
  };
  await admin.create(Event, manifest(Event, { namespace: "shop", name: "one" }, event));
  const dead = { received: Date.now(), attributes: { kind: "Pod", name: "web" }, reply: planted.buffer, object: {} };
  const buffer = { namespace: "holdfast", name: "holdfast-dead-letters" };
  const key = "20260101T000000-000Z-0123456789ab.json";
  await admin.create(ConfigMap, configMap(buffer, { [key]: JSON.stringify(dead) }));
  return cluster;
}

test("doctor's bundle has versions, declarations, Events and progress, and none of the planted secrets", async () => {
  const cluster = await withPlantedSecrets();
  const { code, out, err } = await cluster.holdfast(["doctor"]);
  expect([code, err]).toEqual([0, ""]);
  for (const [place, value] of Object.entries(planted)) {
    expect(out, place).not.toContain(value);
    expect(out, place).not.toContain(Buffer.from(value).toString("base64"));
  }
  const bundle = parse(out);
  expect(bundle).toMatchObject({ holdfast: version, kubernetes: { major: "1" }, gaps: [] });
  expect(bundle.functions).toContainEqual(
    expect.objectContaining({
      name: "undelete-retain",
      containers: [expect.objectContaining({ variables: expect.arrayContaining(["OS_PASSWORD"]) })],
    }),
  );
  expect(bundle.events).toEqual([expect.objectContaining({ reason: "DeletionPostponed" })]);
  expect(bundle.objects).toContainEqual(expect.objectContaining({ object: "PersistentVolumeClaim shop/data" }));
  expect(bundle.declarations.length).toBeGreaterThan(5);
});

test("logs are in the bundle, without credentials that a function has logged", async () => {
  const { admin } = await withPlantedSecrets();
  const labels = { "app.kubernetes.io/part-of": "holdfast" };
  await admin.create(Pod, pod({ namespace: "holdfast", name: "retain-1", labels }));
  const functions = await findFunctions(admin, "holdfast");
  const rules = await loadRules(systemNames());
  const readLog = async () => [`{"msg":"Login with token: ${planted.log} failed."}`];
  const sources = { client: admin, namespace: "holdfast", functions, rules, now: Date.now(), version: "1", readLog };
  const { logs } = await collect(sources);
  expect(Object.keys(logs)).toEqual(["retain-1 main"]);
  expect(redact(JSON.stringify(logs), [])).not.toContain(planted.log);
});

test("the bundle goes to a file that only its owner reads, and overwrites none", async () => {
  const cluster = await withPlantedSecrets();
  const folder = mkdtempSync(join(tmpdir(), "holdfast-doctor-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "bundle.yaml");
  expect((await cluster.holdfast(["doctor", "--file", file])).code).toBe(0);
  expect([existsSync(file), statSync(file).mode & 0o777]).toEqual([true, 0o600]);
  expect(parse(readFileSync(file, "utf8")).holdfast).toBe(version);
  const { code, err } = await cluster.holdfast(["doctor", "--file", file]);
  expect([code, err]).toEqual([2, expect.stringContaining("cannot be written: EEXIST")]);
});
