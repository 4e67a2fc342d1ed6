import { readFileSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import { Namespace, PersistentVolumeClaim, Pod, StatefulSet } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { nextProgress, progressKey } from "../../shared/progress.ts";
import { claim, manifest, pod, statefulSet } from "../harness/manifest.ts";
import { type CliCluster, openCliCluster } from "./open-cluster.ts";

const release = "pvc-protection/release";
const ours = "holdfast.dev/pvc-protection";

/** A claim that is being deleted, that a pod uses, and that a finalizer of others holds besides. */
async function heldClaim(functions: readonly string[] = [release]): Promise<CliCluster> {
  const cluster = await openCliCluster(functions);
  const { admin } = cluster;
  await admin.create(Namespace, manifest(Namespace, { name: "shop" }));
  const finalizers = [ours, "backup.example.org/copy"];
  await admin.create(PersistentVolumeClaim, claim({ namespace: "shop", name: "data", finalizers }));
  await admin.create(Pod, pod({ namespace: "shop", name: "web" }, ["data"], { nodeName: "worker-1" }));
  await admin.delete(PersistentVolumeClaim, "shop", "data");
  return cluster;
}

const live = ({ admin }: CliCluster) => admin.get(PersistentVolumeClaim, "shop", "data");
const cause = "Claim data is kept, because pod web on node worker-1 uses it; it goes when no pod uses it any more.";

test.each([[["pvc/data"]], [["PersistentVolumeClaim", "data"]], [["persistentvolumeclaims/data"]]])(
  "explain %j names each finalizer with who removes it and when, as a user who may only read, and writes nothing",
  async (words) => {
    const cluster = await heldClaim();
    const before = await live(cluster);
    const { code, out, err } = await cluster.holdfast(["explain", ...words, "-n", "shop"]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^PersistentVolumeClaim shop\/data is being deleted since .* ago\. 3 finalizers hold it\.\n/);
    expect(out).toContain(`  ${ours}\n    Removed by ${release}. ${cause}\n`);
    expect(out).toContain("  backup.example.org/copy\n    Removed by a controller that Holdfast does not know.");
    expect(out).not.toContain("\u001b");
    expect(await live(cluster)).toEqual(before);
  },
);

test("explain of a claim says why it does not go with its set: a pod of another owner names it", async () => {
  const cluster = await openCliCluster(["pvc-retention/set-owner"]);
  const { admin } = cluster;
  const namespace = "shop";
  await admin.create(Namespace, manifest(Namespace, { name: namespace }));
  const spec = { replicas: 1, persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" } };
  const wanted = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  const templates = { volumeClaimTemplates: [{ metadata: { name: "data" }, spec: wanted }] };
  const set = await admin.create(StatefulSet, statefulSet({ namespace, name: "web" }, { ...spec, ...templates }));
  const used = await admin.create(
    PersistentVolumeClaim,
    claim({ namespace, name: "data-web-1", labels: { app: "web" } }),
  );
  const note = (object: KubernetesObject, rule: string, step: string, details: object) => ({
    metadata: {
      annotations: {
        [progressKey(rule)]: nextProgress(object, rule, { name: step, details: { ...details } }, "So.", 0),
      },
    },
  });
  const policy = "DeleteOnStatefulSetDeletionOnly";
  const inForce = note(set, "pvc-retention/sync-policy", "in-force", { policy });
  await admin.patch(StatefulSet, namespace, "web", "merge", inForce);
  const noted = note(used, "pvc-retention/set-owner", "used", { set: set.metadata.uid, labels: "match" });
  await admin.patch(PersistentVolumeClaim, namespace, "data-web-1", "merge", noted);
  await admin.create(Pod, pod({ namespace, name: "rescue" }, ["data-web-1"], { nodeName: "worker-1" }));
  const { out, err } = await cluster.holdfast(["explain", "pvc/data-web-1", "-n", namespace]);
  expect(err).toBe("");
  expect(out.replaceAll(/\s+/g, " ")).toContain(
    "Claim data-web-1 will not go with StatefulSet web, because pod rescue, which is not one of the set's, names it.",
  );
});

test("where the console is known, explain links to the page of the object, for programs, too", async () => {
  const cluster = await heldClaim();
  const page = "https://console.example/object/PersistentVolumeClaim/shop/data";
  const words = ["explain", "pvc/data", "-n", "shop", "--console", "https://console.example/open/secret"];
  expect((await cluster.holdfast(words)).out).toContain(`\nIn the console: ${page}\n`);
  expect(JSON.parse((await cluster.holdfast([...words, "-o", "json"])).out)).toMatchObject({ page });
  expect((await cluster.holdfast(words.slice(0, 4))).out).not.toContain("console");
});

test("the answer for programs is the same, as JSON and as YAML", async () => {
  const cluster = await heldClaim();
  const { out } = await cluster.holdfast(["explain", "pvc/data", "-n", "shop", "-o", "json"]);
  const answer = JSON.parse(out);
  expect(answer).toMatchObject({ object: "PersistentVolumeClaim shop/data", isStuck: false, gaps: [] });
  expect(answer.words).toEqual([expect.objectContaining({ rule: release, decision: "wait", message: cause })]);
  const { out: yaml } = await cluster.holdfast(["explain", "pvc/data", "-n", "shop", "-o", "yaml"]);
  expect(yaml).toContain("object: PersistentVolumeClaim shop/data\n");
});

test("a difference between what is written down and what a look says is pointed out", async () => {
  const cluster = await heldClaim();
  const { uid } = (await live(cluster))!.metadata;
  const because = "No pod uses claim data.";
  const text = JSON.stringify({ v: 1, uid, step: "after-in-tree", since: "2026-01-01T00:00:00Z", because });
  const metadata = { annotations: { [progressKey(release)]: text } };
  await cluster.admin.patch(PersistentVolumeClaim, "shop", "data", "merge", { metadata });
  const { out } = await cluster.holdfast(["explain", "pvc/data", "-n", "shop"]);
  expect(out).toContain(cause);
  expect(out).toContain("This differs from what is written down.");
  expect(out).toContain(`Written down since 2026-01-01 00:00 UTC, `);
  expect(out).toContain(`: ${because}\n`);
});

test("what may not be read is named, and the exit code says that the answer is not whole", async () => {
  const cluster = await heldClaim();
  const reads = ["persistentvolumeclaims", "deployments", "services"];
  const { code, out } = await cluster.holdfast(["explain", "pvc/data", "-n", "shop"], reads);
  expect(code).toBe(2);
  expect(out).toMatch(/Not known: pvc-protection\/release could not look: .*pods.* forbidden/i);
});

test("a user who may not read which functions there are gets all rules' answers, and a sentence about it", async () => {
  const cluster = await heldClaim();
  const { code, out } = await cluster.holdfast(
    ["explain", "pvc/data", "-n", "shop"],
    ["persistentvolumeclaims", "pods", "persistentvolumes", "namespaces", "storageclasses", "statefulsets"],
  );
  expect(code).toBe(2);
  expect(out).toContain(cause);
  expect(out).toContain("Not known: You may not read which functions are installed.");
});

test("a finalizer whose function is not installed is a reason for a person to act", async () => {
  const cluster = await heldClaim(["undelete/retain"]);
  const { code, out } = await cluster.holdfast(["explain", "pvc/data", "-n", "shop"]);
  expect(code).toBe(1);
  expect(out).toContain("Only pvc-protection-release removes it: install it again, or run `holdfast uninstall`.");
});

test("of a namespace that hangs it says what is left in it and what would let that go", async () => {
  const cluster = await heldClaim();
  await cluster.admin.delete(Namespace, undefined, "shop");
  const { out } = await cluster.holdfast(["explain", "ns/shop"]);
  expect(out).toMatch(/^Namespace shop is being deleted since .* One finalizer holds it\.\n/);
  expect(out).toContain("Removed by Kubernetes' namespace controller.");
  expect(out).toContain(`PersistentVolumeClaim shop/data is held by `);
  expect(out).toContain(`${ours}: ${cause}`);
});

test("explain of a namespace says how many objects in it are not explained, and --all explains them", async () => {
  const cluster = await heldClaim();
  for (let i = 0; i < 40; i++)
    await cluster.admin.create(
      PersistentVolumeClaim,
      claim({ namespace: "shop", name: `more-${i}`, finalizers: ["backup.example.org/copy"] }),
    );
  await cluster.admin.delete(Namespace, undefined, "shop");
  const { code, out } = await cluster.holdfast(["explain", "ns/shop"]);
  expect(code, out).toBe(2);
  expect(out).toMatch(/Not known: What would let 2\d of these 4\d objects go: only the first 20 are explained\./);
  const all = await cluster.holdfast(["explain", "ns/shop", "--all"]);
  expect([all.code, all.err]).toEqual([0, ""]);
  expect(all.out).not.toContain("only the first");
  expect(all.out.match(/backup\.example\.org\/copy: Look for the controller/g)).toHaveLength(41);
});

test("explain ends with 1 for a namespace in Terminating if an object in it is stuck", async () => {
  const cluster = await heldClaim(["undelete/retain"]);
  await cluster.admin.delete(Namespace, undefined, "shop");
  const { code, out } = await cluster.holdfast(["explain", "ns/shop"]);
  expect(code, out).toBe(1);
});

test("explain of a namespace in Terminating names what it could not read about an object in it", async () => {
  const cluster = await heldClaim();
  await cluster.admin.delete(Namespace, undefined, "shop");
  const { code, out } = await cluster.holdfast(
    ["explain", "ns/shop"],
    ["namespaces", "persistentvolumeclaims", "deployments", "services"],
  );
  expect(code).toBe(2);
  expect(out.match(/Not known: pvc-protection\/release could not look: .*pods.* forbidden/gi)).toHaveLength(1);
});

test("explain --watch prints again when the answer changes, and ends with 0 when the object is gone", async () => {
  const cluster = await heldClaim();
  const { admin } = cluster;
  const steps = [
    () => admin.delete(Pod, "shop", "web", { gracePeriodSeconds: 0 }),
    () => admin.patch(PersistentVolumeClaim, "shop", "data", "merge", { metadata: { finalizers: null } }),
  ];
  const answers = (printed: string) =>
    printed.split(/^PersistentVolumeClaim shop\/data is being deleted since /m).slice(1);
  const watch = ["explain", "pvc/data", "-n", "shop", "--watch"];
  let taken = 0;
  const { code, out, err } = await cluster.holdfast(watch, ["*"], [], (printed) => {
    if (answers(printed).length > taken) void steps[taken++]?.();
  });
  expect([code, err]).toEqual([0, ""]);
  const [first, second, ...more] = answers(out);
  expect([first, more]).toEqual([expect.stringContaining(cause), []]);
  expect(second).not.toContain(cause);
  expect(out).toMatch(/PersistentVolumeClaim shop\/data is gone\.\n$/);
});

test("on a terminal it has colours, but none with NO_COLOR", async () => {
  const cluster = await heldClaim();
  for (const name of ["CI", "FORCE_COLOR", "NODE_DISABLE_COLORS", "NO_COLOR"]) vi.stubEnv(name, undefined);
  vi.stubEnv("TERM", "xterm-256color");
  onTestFinished(() => void vi.unstubAllEnvs());
  const args = ["explain", "pvc/data", "-n", "shop"];
  const { code, out } = await cluster.onTerminal(args);
  expect([code, out]).toEqual([0, expect.stringContaining("\u001b[1mPersistentVolumeClaim shop/data\u001b[22m")]);
  vi.stubEnv("NO_COLOR", "1");
  const { out: plain } = await cluster.onTerminal(args);
  expect(plain).toMatch(/^PersistentVolumeClaim shop\/data is being deleted since /);
  expect(plain).not.toContain("\u001b");
});

test("--context chooses a cluster, and the namespace of the context is where it looks without -n", async () => {
  const here = await openCliCluster([release]);
  const there = await heldClaim();
  const [one, other] = [here, there].map(({ kubeconfig }) => JSON.parse(readFileSync(kubeconfig, "utf8")));
  const [cluster] = other.clusters;
  one.clusters.push({ ...cluster, name: "there" });
  const [{ user }] = one.users;
  one.users.push({ name: "there", user });
  one.contexts.push({ name: "there", context: { cluster: "there", user: "there", namespace: "shop" } });
  writeFileSync(here.kubeconfig, JSON.stringify(one));
  // What its user may read there.
  expect((await there.holdfast(["explain", "pvc/data"])).err).toContain("no PersistentVolumeClaim default/data");
  const { code, out } = await here.holdfast(["explain", "pvc/data", "--context", "there"]);
  expect([code, out]).toEqual([0, expect.stringMatching(/^PersistentVolumeClaim shop\/data is being deleted since /)]);
  const elsewhere = await here.holdfast(["explain", "pvc/data", "--context", "there", "-n", "default"]);
  expect(elsewhere.err).toContain("There is no PersistentVolumeClaim default/data.");
  const current = await here.holdfast(["explain", "pvc/data", "-n", "shop"]);
  expect([current.code, current.err]).toEqual([2, expect.stringContaining("no PersistentVolumeClaim shop/data")]);
});

test.each([
  [["pvc/nope", "-n", "shop"], "There is no PersistentVolumeClaim shop/nope. Is it in another namespace?"],
  [["nope/data"], "The cluster serves no kind nope; `kubectl api-resources` lists those it serves."],
  [["data"], "data names no object: write KIND/NAME, for example pvc/data-web-0."],
  [["pvc/a/b"], "pvc/a/b names no object"],
  [["pvc/data", "pvc/other"], "pvc/data pvc/other names no object: write KIND/NAME, for example pvc/data-web-0."],
])("explain %j ends with 2 and says what to do", async (args, message) => {
  const cluster = await heldClaim();
  const { code, out, err } = await cluster.holdfast(["explain", ...args]);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain(`holdfast: ${message}`);
});

test("without an answer of the cluster it ends with 2", async () => {
  const cluster = await heldClaim();
  await cluster.stop();
  const { code, err } = await cluster.holdfast(["explain", "pvc/data"]);
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(/^holdfast: GET .* failed with no answer .* kubectl cluster-info\n$/),
  ]);
});
