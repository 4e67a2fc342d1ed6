import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { version } from "../../cli/version.ts";
import { statusKey } from "../../functions/platform/lib/sweep-status.ts";
import { InMemoryChannel, Subscription } from "../../functions/platform/sweep/channels.ts";
import { ConfigMap, Namespace, PersistentVolumeClaim } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { progressKey } from "../../shared/progress.ts";
import { blocksBelow } from "../cluster/walk/page.ts";
import { recordedChannel } from "../contract/knative/recorded.ts";
import { install } from "../harness/installation.ts";
import { claim, configMap, definition, manifest } from "../harness/manifest.ts";
import { installOverlay } from "./install.ts";
import { type CliCluster, openCliCluster } from "./open-cluster.ts";

const knative = (group: string, kind: string, plural: string) => ({
  apiVersion: `${group}.knative.dev/v1`,
  kind,
  plural,
  namespaced: true,
});
const KnativeService = knative("serving", "Service", "services");
const Trigger = knative("eventing", "Trigger", "triggers");
const Broker = knative("eventing", "Broker", "brokers");
const ApiServerSource = knative("sources", "ApiServerSource", "apiserversources");
const Deployment = { apiVersion: "apps/v1", kind: "Deployment", plural: "deployments", namespaced: true };

/** A cluster on which an overlay is installed, and the sweep has just come. */
async function installed(overlay: "default" | "no-knative"): Promise<CliCluster> {
  const cluster = await openCliCluster([]);
  await installOverlay(cluster.admin, overlay);
  await swept(cluster, Date.now());
  return cluster;
}

async function swept({ admin }: CliCluster, at: number, wrong: object = {}) {
  const table = (await admin.get(ConfigMap, "holdfast", "holdfast-sweep")) as KubernetesObject;
  const { uid } = table.metadata;
  const status = { v: 1, uid, at: new Date(at).toISOString(), because: "9 rows were swept.", ...wrong };
  const metadata = { annotations: { [statusKey]: JSON.stringify(status) } };
  await admin.patch(ConfigMap, "holdfast", "holdfast-sweep", "merge", { metadata });
}

test.each(["default", "no-knative"] as const)("status of a sound installation of %s is good", async (overlay) => {
  const cluster = await installed(overlay);
  const { code, out, err } = await cluster.holdfast(["status"]);
  expect([err, out.split("\n").at(-2), code]).toEqual(["", "All is well.", 0]);
  expect(out).toContain(`pvc-protection   3 of 3 functions can run, version ${version()}.\n`);
  expect(out).toContain(overlay === "default" ? "ApiServerSource 3 of 3, PingSource 1 of 1" : "Deployment 1 of 1");
  expect(out).toMatch(/last sweep {7}20.* ago\. 9 rows were swept\.\n/);
  const { out: wide } = await cluster.holdfast(["status", "-o", "wide"]);
  expect(wide).toContain(`\n  undelete-expire, version ${version()}, fn://undelete/expire: ready.\n`);
});

test("functions that cannot run, are missing or have no Trigger are named with what to do", async () => {
  const cluster = await installed("default");
  const { admin } = cluster;
  const conditions = [{ type: "Ready", status: "False", message: "the image cannot be pulled" }];
  const template = { spec: { containers: [{ name: "user-container", image: `example.org/release:${version()}` }] } };
  const release = [KnativeService, "holdfast", "pvc-protection-release"] as const;
  await admin.patch(...release, "merge", { spec: { template } });
  await admin.patch(...release, "merge", { status: { conditions } }, { subresource: "status" });
  await admin.delete(KnativeService, "holdfast", "undelete-expire");
  await admin.delete(Trigger, "holdfast", "pvc-protection-warn-storage");
  const { code, out } = await cluster.holdfast(["status", "-o", "json"]);
  expect(code).toBe(1);
  const { findings, gaps } = JSON.parse(out);
  expect(gaps).toEqual([]);
  expect(findings).toEqual([
    {
      what: expect.stringMatching(/cannot run: pvc-protection-release\. .*the image cannot be pulled\.$/),
      todo: "Look at: kubectl -n holdfast describe ksvc pvc-protection-release",
    },
    { what: expect.stringContaining("not installed, although others are: undelete-expire."), todo: expect.anything() },
    {
      what: expect.stringContaining("No Trigger brings events to the function pvc-protection-warn"),
      todo: expect.anything(),
    },
  ]);
});

test("functions whose pods a quota refuses are named together, in the words of the quota", async () => {
  const { admin, holdfast } = await installed("no-knative");
  const why = "failed quota: q: must specify limits.cpu for: function";
  for (const name of ["undelete-expire", "undelete-retain"]) {
    const image = `example.org/${name}:${version()}`;
    const template = { spec: { containers: [{ name: "function", image }] } };
    const conditions = [
      { type: "Available", status: "False", message: "Deployment does not have minimum availability." },
      { type: "ReplicaFailure", status: "True", message: `pods "${name}-5cdb-x" is forbidden: ${why}` },
    ];
    await admin.patch(Deployment, "holdfast", name, "merge", { spec: { template } });
    const status = { readyReplicas: 0, conditions };
    await admin.patch(Deployment, "holdfast", name, "merge", { status }, { subresource: "status" });
  }
  const { code, out } = await holdfast(["status", "-o", "json"]);
  expect([code, JSON.parse(out).findings]).toEqual([
    1,
    [
      {
        what: `These functions cannot run: undelete-expire, undelete-retain. Its pod is refused: ${why}.`,
        // Without Knative, kubectl knows no ksvc, and would print nothing.
        todo: "Look at: kubectl -n holdfast describe deployment undelete-expire",
      },
    ],
  ]);
});

test("functions whose new pods do not come, and whose former ones run on, are named", async () => {
  const { admin, holdfast } = await installed("no-knative");
  const quota = "exceeded quota: q, requested: pods=1, used: pods=11, limited: pods=11";
  const refused = { type: "ReplicaFailure", status: "True", message: `pods "expire-x" is forbidden: ${quota}` };
  const available = { type: "Available", status: "True", message: "Deployment has minimum availability." };
  const message = 'ReplicaSet "retain-5cdb" has timed out progressing.';
  const late = { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded", message };
  const under = { type: "Progressing", status: "True", reason: "ReplicaSetUpdated", message: "It is progressing." };
  // As Kubernetes writes them. Of the first the new pod is refused, of the second it is late, of the third in time.
  const stuck = {
    "undelete-expire": { replicas: 1, readyReplicas: 1, updatedReplicas: 0, conditions: [available, refused] },
    "undelete-retain": { replicas: 2, readyReplicas: 1, updatedReplicas: 1, conditions: [available, late] },
    "undelete-reserve": { replicas: 4, readyReplicas: 3, updatedReplicas: 2, conditions: [available, under] },
  };
  for (const [name, status] of Object.entries(stuck))
    await admin.patch(Deployment, "holdfast", name, "merge", { status }, { subresource: "status" });
  const { code, out } = await holdfast(["status", "-o", "json"]);
  const before = "This function runs as before the last change, which is not rolled out:";
  const todo = "Look at: kubectl -n holdfast describe deployment";
  expect([code, JSON.parse(out).findings]).toEqual([
    1,
    [
      { what: `${before} undelete-expire. Its new pod is refused: ${quota}.`, todo: `${todo} undelete-expire` },
      { what: `${before} undelete-retain. No new pod of it is ready: ${message}`, todo: `${todo} undelete-retain` },
    ],
  ]);
});

test("Triggers whose filters keep the sweep away are named, and those that let it pass are not", async () => {
  const { admin, holdfast } = await installed("default");
  const filter = async (name: string, value: object) =>
    admin.patch(Trigger, "holdfast", name, "json", [{ op: "add", path: "/spec/filters/-", value }]);
  const elsewhere = { not: { exact: { namespace: "ci" } } };
  await filter("pvc-protection-protect-storage", { any: [{ exact: { type: "dev.holdfast.sweep" } }, elsewhere] });
  await filter("undelete-expire-storage", { cesql: "kind = 'Pod'" });
  expect((await holdfast(["status"])).out).toContain("All is well.");
  await filter("pvc-protection-release-storage", elsewhere);
  await filter("pvc-retention-sync-policy-workloads", { exact: { namespace: "shop" } });
  const { code, out } = await holdfast(["status", "-o", "json"]);
  expect(code).toBe(1);
  expect(JSON.parse(out).findings).toEqual([
    {
      what: expect.stringContaining(
        "keep events of the sweep away from pvc-protection-release (PersistentVolumeClaim); " +
          "pvc-retention-sync-policy (StatefulSet).",
      ),
      todo: expect.stringContaining("docs/tune.md"),
    },
  ]);
});

test("Triggers that bring no event of a change are named, and one that the API server emptied is left", async () => {
  const { admin, holdfast } = await installed("default");
  const replace = (name: string, value: readonly object[]) =>
    admin.patch(Trigger, "holdfast", name, "json", [{ op: "replace", path: "/spec/filters", value }]);
  await replace("undelete-retain-storage", [{ exact: { type: "dev.holdfast.sweep" } }]);
  await replace("pvc-protection-release-workloads", [{}]);
  const { code, out } = await holdfast(["status", "-o", "json"]);
  const retain = "PersistentVolume update, PersistentVolumeClaim update, Namespace update, StorageClass add, ";
  expect([code, JSON.parse(out).findings]).toEqual([
    1,
    [
      {
        what: expect.stringContaining(`these changes: undelete-retain (${retain}StorageClass update). The`),
        todo: expect.stringContaining("docs/tune.md"),
      },
    ],
  ]);
});

test("without Knative, Triggers in the ConfigMap whose filters keep the sweep away are named", async () => {
  const { admin, holdfast } = await installed("no-knative");
  // The harness runs no generator of kustomize: this is the file that it would make the ConfigMap of.
  const documents = parseAllDocuments(readFileSync("knative/overlays/no-knative/eventing.yaml", "utf8"));
  const release = documents.find((one) => one.getIn(["metadata", "name"]) === "pvc-protection-release-storage");
  release?.addIn(["spec", "filters"], { exact: { namespace: "shop" } });
  const data = { "eventing.yaml": documents.map(String).join("---\n") };
  await admin.create(ConfigMap, configMap({ namespace: "holdfast", name: "holdfast-eventing" }, data));
  const { code, out } = await holdfast(["status"]);
  expect([code, out]).toEqual([1, expect.stringContaining("pvc-protection-release (PersistentVolumeClaim)")]);
});

test("without Knative, Triggers without a function, and functions without a Trigger, are named", async () => {
  const { admin, holdfast } = await installed("no-knative");
  const file = (path: string) => readFileSync(join("knative/overlays/no-knative", path), "utf8");
  const shipped = parseAllDocuments(file("eventing.yaml")).filter(
    (one) => one.getIn(["metadata", "labels", "app.kubernetes.io/name"]) !== "undelete",
  );
  for (const name of ["sync-policy", "set-owner"]) await admin.delete(Deployment, "holdfast", `pvc-retention-${name}`);
  const data = { "eventing.yaml": shipped.map(String).join("---\n"), "volume.yaml": file("volume/volume.yaml") };
  await admin.create(ConfigMap, configMap({ namespace: "holdfast", name: "holdfast-eventing" }, data));
  const { code, out } = await holdfast(["status", "-o", "json"]);
  expect([code, JSON.parse(out).findings]).toEqual([
    1,
    [
      {
        what:
          "No Trigger brings events to the functions undelete-expire, undelete-reserve, undelete-retain: they will " +
          "not act, not even with the sweep.",
        // Its uninstall would not last: every apply of the overlay brings all systems of the default.
        todo: expect.stringMatching(/eventing\.yaml, add the Triggers of undelete to it\. Then apply [^:]*$/),
      },
      {
        what: expect.stringMatching(/^platform-source sends events to functions of pvc-retention, and none/),
        todo: expect.stringMatching(/^Apply your overlay or chart again/),
      },
      {
        what: expect.stringMatching(/^platform-source sends events to functions of volume, and none is installed/),
        todo: "Take volume out of your overlay or values, and apply that.",
      },
    ],
  ]);
  const name = "eviction-lock-node";
  const like = (await admin.get(Deployment, "holdfast", "undelete-retain")) as KubernetesObject & { spec: object };
  const { labels = {} } = like.metadata;
  await admin.create(Deployment, manifest(Deployment, { namespace: "holdfast", name, labels }, { spec: like.spec }));
  expect(JSON.parse((await holdfast(["status", "-o", "json"])).out).findings).toContainEqual({
    what: expect.stringContaining(`No Trigger brings events to the function ${name}`),
    todo: expect.stringMatching(/^If you want eviction, .*: holdfast uninstall eviction$/),
  });
});

test("sources and brokers that are not ready, and that there is no source, are named with what to do", async () => {
  const { admin, holdfast } = await installed("default");
  const findings = async () => {
    const { code, out } = await holdfast(["status", "-o", "json"]);
    return [code, JSON.parse(out).findings];
  };
  const [broker] = await Array.fromAsync(admin.list<KubernetesObject>(Broker, { namespace: "holdfast" }));
  const sources = await Array.fromAsync(admin.list<KubernetesObject>(ApiServerSource, { namespace: "holdfast" }));
  const [brokerName = "", sourceName = ""] = [broker, sources[0]].map((one) => one?.metadata.name);
  const status = { conditions: [{ type: "Ready", status: "False", message: "no channel can be made" }] };
  await admin.patch(Broker, "holdfast", brokerName, "merge", { status }, { subresource: "status" });
  const silent = { status: { conditions: [] } };
  await admin.patch(ApiServerSource, "holdfast", sourceName, "merge", silent, { subresource: "status" });
  const unready = {
    what: `Broker ${brokerName} is not ready. Knative says: no channel can be made.`,
    todo: `Look at: kubectl -n holdfast describe broker ${brokerName}`,
  };
  const unheard = "Knative Eventing has said nothing about it: does its controller run?";
  expect(await findings()).toEqual([
    1,
    expect.arrayContaining([
      unready,
      {
        what: `ApiServerSource ${sourceName} is not ready. ${unheard}`,
        todo: `Look at: kubectl -n holdfast describe apiserversource ${sourceName}`,
      },
    ]),
  ]);
  for (const { metadata } of sources) await admin.delete(ApiServerSource, "holdfast", metadata.name);
  const what = expect.stringMatching(/^No source of events is in namespace holdfast: /);
  const todo = "Apply the overlay again: the sources are among its objects.";
  expect(await findings()).toEqual([1, [{ what, todo }, unready]]);
});

test("a channel with subscribers that no Subscription has is named with the command that mends it", async () => {
  const { admin, holdfast } = await installed("default");
  await install(
    admin,
    [InMemoryChannel, Subscription].map((kind) => definition(kind)),
  );
  const { channel } = recordedChannel();
  const { name, labels = {} } = channel.metadata;
  const { subscribers: [stale] = [] } = channel.spec as { subscribers?: object[] };
  const create = (subscribers: readonly unknown[]) =>
    admin.create(
      InMemoryChannel,
      manifest(InMemoryChannel, { namespace: "holdfast", name, labels }, { spec: { subscribers } }),
    );
  await create([]);
  expect((await holdfast(["status"])).out).toContain("All is well.");
  await admin.delete(InMemoryChannel, "holdfast", name);
  await create([stale]);
  const { code, out } = await holdfast(["status", "-o", "json"]);
  expect([code, JSON.parse(out).findings]).toEqual([
    1,
    [
      {
        what: expect.stringMatching(new RegExp(`^The channel ${name} still has former subscribers of the Trigger `)),
        todo: expect.stringContaining(`kubectl -n holdfast delete inmemorychannel ${name}`),
      },
    ],
  ]);
});

test("functions of different versions are named", async () => {
  const cluster = await installed("no-knative");
  for (const [name, tag] of [
    ["undelete-retain", "0.1.0"],
    ["undelete-reserve", "0.1.0"],
    ["undelete-expire", version()],
  ]) {
    const image = `registry.example:5000/holdfast/it:${tag}@sha256:0123`;
    const operations = [{ op: "replace", path: "/spec/template/spec/containers/0/image", value: image }];
    await cluster.admin.patch(Deployment, "holdfast", name as string, "json", operations);
  }
  const { code, out } = await cluster.holdfast(["status"]);
  const each = `different versions: ${version()} (9); 0.1.0 (undelete-reserve, undelete-retain).`;
  expect([code, out.replace(/\s+/g, " ")]).toEqual([1, expect.stringContaining(each)]);
});

test("of functions whose images are named by digest alone, the versions of their manifests are compared", async () => {
  const { admin, holdfast } = await installed("no-knative");
  const image = "registry.example:5000/holdfast/undelete/retain@sha256:0123";
  const operations = [{ op: "replace", path: "/spec/template/spec/containers/0/image", value: image }];
  await admin.patch(Deployment, "holdfast", "undelete-retain", "json", operations);
  expect((await holdfast(["status"])).out).toContain(
    `undelete         3 of 3 functions can run, version ${version()}.`,
  );
  const labels = { "app.kubernetes.io/version": "0.1.0" };
  await admin.patch(Deployment, "holdfast", "undelete-retain", "merge", { metadata: { labels } });
  const { code, out } = await holdfast(["status"]);
  expect([code, out.replace(/\s+/g, " ")]).toEqual([
    1,
    expect.stringMatching(new RegExp(`different versions: ${version()} \\(\\d+\\); 0\\.1\\.0 \\(undelete-retain\\)`)),
  ]);
});

test("a sweep that does not come, and one that something is wrong with, are named", async () => {
  const cluster = await installed("default");
  await swept(cluster, Date.now() - 14 * 60_000);
  expect((await cluster.holdfast(["status"])).code).toBe(0);
  await swept(cluster, Date.now() - 16 * 60_000);
  const { code, out } = await cluster.holdfast(["status"]);
  expect([code, out]).toEqual([
    1,
    expect.stringMatching(/The last sweep was .* 16 min ago, and one is due every 5 min/),
  ]);
  await swept(cluster, Date.now(), { wrong: ["BrokerRefused"], because: "The broker takes no events." });
  const { out: wrong } = await cluster.holdfast(["status"]);
  expect(wrong).toContain("The last sweep says: The broker takes no events.");
});

test("a dead-lettered event of the last day is bad, and an older one is only counted", async () => {
  const cluster = await installed("default");
  const kept = (hours: number) =>
    JSON.stringify({
      received: Date.now() - hours * 3_600_000,
      attributes: { kind: "PersistentVolumeClaim", namespace: "shop", name: "data" },
      destination: "pvc-protection-release.holdfast",
    });
  const name = "20260101T000000-000Z-0123456789ab.json";
  const buffer = { namespace: "holdfast", name: "holdfast-dead-letters" };
  await cluster.admin.create(ConfigMap, configMap(buffer, { [name]: kept(25), "no.json": "{" }));
  const { code, out } = await cluster.holdfast(["status"]);
  expect([code, out]).toEqual([0, expect.stringMatching(/dead-lettered {4}1, the newest 20.* 1 d ago\./)]);
  await cluster.admin.patch(ConfigMap, "holdfast", "holdfast-dead-letters", "merge", { data: { [name]: kept(1) } });
  const { code: bad, out: recent } = await cluster.holdfast(["status"]);
  expect(bad).toBe(1);
  expect(recent).toContain("The function pvc-protection-release did not take an event in the last day; the newest is");
  expect(recent).toContain(`holdfast replay ${name}`);
  const more = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [name.replace("b.json", `${i}.json`), kept(2)]));
  await cluster.admin.patch(ConfigMap, "holdfast", "holdfast-dead-letters", "merge", { data: more });
  const { out: many } = await cluster.holdfast(["status"]);
  expect(many).toContain("did not take 10 events in the last day");
  expect(many).toContain("There may be more: at most 10 in an hour are kept.");
  const drop = JSON.parse(/-p '(.*)'/.exec(many)?.[1] ?? "");
  await cluster.admin.patch(ConfigMap, "holdfast", "holdfast-dead-letters", "json", drop);
  expect((await cluster.holdfast(["status"])).out).toContain("All is well.");
});

test("an object that is stuck, and one that was due, are named with the command that explains them", async () => {
  const cluster = await installed("default");
  const { admin } = cluster;
  await admin.create(Namespace, manifest(Namespace, { name: "shop" }));
  const note = async (name: string, rule: string, progress: object) => {
    const { metadata } = await admin.create(PersistentVolumeClaim, claim({ namespace: "shop", name }));
    const text = JSON.stringify({
      v: 1,
      uid: metadata.uid,
      since: "2026-01-01T00:00:00Z",
      because: "It waits.",
      ...progress,
    });
    await admin.patch(PersistentVolumeClaim, "shop", name, "merge", {
      metadata: { annotations: { [progressKey(rule)]: text } },
    });
  };
  const release = "pvc-protection/release";
  await note("waits", release, { step: "in-use", next: new Date(Date.now() - 60_000).toISOString() });
  expect((await cluster.holdfast(["status"])).out).toMatch(/1 wait, 0 of them stuck; .*\n\nAll is well\.\n$/);
  await note("late", release, { step: "in-use", next: "2026-01-02T00:00:00Z" });
  await note("stuck", "undelete/note", { step: "asks", because: "Nothing says who may have it." });
  const { code, out } = await cluster.holdfast(["status"]);
  expect(code).toBe(1);
  expect(out).toContain("One object was due for a look that has not come, the oldest PersistentVolumeClaim shop/late");
  expect(out).toContain("holdfast explain persistentvolumeclaim/late -n shop");
  expect(out).toMatch(/PersistentVolumeClaim shop\/stuck is stuck since 2026-01-01 00:00 UTC, .*Nothing says who may/);
});

test("the rights that the page on monitoring names are all that status takes, line by line in 80 columns", async () => {
  const cluster = await installed("default");
  const [, block] = blocksBelow("docs/monitoring.md", "One check for everything");
  const roles = parseAllDocuments(block?.text ?? "").map((document) => document.toJS() as KubernetesObject);
  expect(roles.map(({ kind }) => kind)).toEqual(["ClusterRole", "Role"]);
  const { code, out, err } = await cluster.asUserOf(roles, ["status", "-o", "wide"]);
  expect([err, out.split("\n").at(-2), code]).toEqual(["", "All is well.", 0]);
  expect(out.split("\n").filter((line) => line.length > 80)).toEqual([]);
  const job = blocksBelow("docs/monitoring.md", "As a CronJob").find(({ language }) => language === "yaml")?.text ?? "";
  const { args } = parse(job).spec.jobTemplate.spec.template.spec.containers[0];
  expect((await cluster.asUserOf(roles, args)).code).toBe(0);
  const { out: less } = await cluster.asUserOf(roles.slice(0, 1), ["status"]);
  expect(less).toContain("Not known: ");
});

test("what may not be read is not known, and never absent", async () => {
  const cluster = await installed("default");
  const { code, out } = await cluster.holdfast(["status"], ["services", "configmaps"]);
  expect(code).toBe(2);
  expect(out).toContain("Not known: Which functions are installed could not be read");
  expect(out).toContain("Not known: You may not list persistentvolumeclaims");
  expect(out).not.toContain("none waits");
  expect(out).not.toContain("No function of Holdfast");
  const { code: some, out: rest } = await cluster.holdfast(["status"], ["services", "configmaps", "deployments"]);
  expect([some, rest]).toEqual([2, expect.stringContaining("Not known: Which triggers there are could not be read")]);
  expect(rest).not.toContain("No Trigger brings");
});

test("a cluster without Holdfast is not said to be well", async () => {
  const cluster = await openCliCluster([]);
  const { code, out } = await cluster.holdfast(["status"]);
  expect([code, out]).toEqual([2, expect.stringContaining("No function of Holdfast was found in namespace holdfast.")]);
  expect(out).toContain("If it was deleted, claims that are deleted stay in Terminating");
});
