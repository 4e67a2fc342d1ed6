import { expect, test } from "vitest";
import { parse } from "yaml";
import { Namespace, PersistentVolume } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { progressKey } from "../../shared/progress.ts";
import { manifest, persistentVolume } from "../harness/manifest.ts";
import { type CliCluster, openCliCluster } from "./open-cluster.ts";

const due = "2030-01-31T12:00:00Z";

/** A volume that is kept for the claim `shop/data` that is gone. */
async function withKeptVolume(): Promise<CliCluster> {
  const cluster = await openCliCluster([]);
  const labels = { "holdfast.dev/volume-of": "shop" };
  const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: "shop", name: "data", uid: "c1" };
  const volume = persistentVolume({ name: "kept", labels }, { hostPath: { path: "/tmp/kept" }, claimRef });
  const { metadata } = await cluster.admin.create(PersistentVolume, volume);
  const details = { policy: "Delete", for: "24h", claim: { namespace: "shop", name: "data", uid: "c1" }, right: 1 };
  const note = { v: 1, uid: metadata.uid, step: "kept", since: "2026-01-01T00:00:00Z", because: "Kept.", ...details };
  const annotations = { [progressKey("undelete/note")]: JSON.stringify(note), "holdfast.dev/reclaim-at": due };
  await cluster.admin.patch(PersistentVolume, undefined, "kept", "merge", { metadata: { annotations } });
  return cluster;
}

const annotationsOf = async ({ admin }: CliCluster) =>
  (await admin.get(PersistentVolume, undefined, "kept"))?.metadata.annotations;

test("restore list says what is kept until when, for people and for programs", async () => {
  const cluster = await withKeptVolume();
  const { code, out } = await cluster.holdfast(["restore", "list"]);
  const sentence =
    "Volume kept is kept for claim shop/data, and not offered. It is reclaimed (Delete) at 2030-01-31 12:00 UTC.\n";
  expect([code, out]).toEqual([0, sentence]);
  expect((await cluster.holdfast(["restore", "list", "-o", "name"])).out).toBe("persistentvolume/kept\n");
  expect((await cluster.holdfast(["restore", "list", "-n", "other"])).out).toBe("No volume is kept.\n");
  const { out: json } = await cluster.holdfast(["restore", "list", "-o", "json"]);
  expect(JSON.parse(json).kept).toMatchObject([{ volume: "kept", step: "kept", due: "2030-01-31T12:00:00.000Z" }]);
});

test("restore claim writes one annotation, and names the command and what to create", async () => {
  const cluster = await withKeptVolume();
  const command = "  kubectl annotate pv kept holdfast.dev/offer=yes --overwrite\n";
  const dry = await cluster.holdfast(["restore", "claim", "data", "-n", "shop", "--dry-run"]);
  expect([dry.code, dry.out]).toEqual([0, expect.stringContaining(`${command}Nothing was written.\n`)]);
  expect(await annotationsOf(cluster)).not.toHaveProperty(["holdfast.dev/offer"]);
  const { code, out } = await cluster.holdfast(["restore", "claim", "data", "-n", "shop"], ["*"], ["patch"]);
  expect([code, out]).toEqual([0, expect.stringContaining(command)]);
  expect(out).toContain("Create claim shop/data again with at most 1Gi");
  expect(await annotationsOf(cluster)).toHaveProperty(["holdfast.dev/offer"], "yes");
  const { out: yaml } = await cluster.holdfast(["restore", "claim", "data", "-n", "shop", "-o", "yaml"]);
  expect(parse(yaml)).toMatchObject({
    does: "Volume kept is offered to the next claim shop/data.",
    volumes: [{ volume: "kept", annotations: { "holdfast.dev/offer": "yes" } }],
    written: false,
  });
  const { out: again } = await cluster.holdfast(["restore", "claim", "data", "-n", "shop"]);
  expect(again).toContain("It is so already: nothing was written.");
});

/** Volumes that wait for someone to say who follows the namespace `shop`, by the uids of former ones. */
async function withFormerNamespaces(...uids: readonly string[]): Promise<CliCluster> {
  const cluster = await openCliCluster([]);
  const { admin } = cluster;
  await admin.create(Namespace, manifest(Namespace, { name: "shop" }));
  for (const uid of uids) {
    const name = `kept-${uid}`;
    const labels = { "holdfast.dev/volume-of": "shop" };
    const claim = { namespace: "shop", name: "data", uid: `c-${uid}` };
    const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", ...claim };
    const volume = persistentVolume({ name, labels }, { hostPath: { path: "/tmp/kept" }, claimRef });
    const { metadata } = await admin.create(PersistentVolume, volume);
    const details = { policy: "Delete", for: "24h", claim, right: 1, namespaceUid: uid };
    const note = { v: 1, uid: metadata.uid, step: "asks", since: "2026-01-01T00:00:00Z", because: "Kept.", ...details };
    const annotations = { [progressKey("undelete/note")]: JSON.stringify(note) };
    await admin.patch(PersistentVolume, undefined, name, "merge", { metadata: { annotations } });
  }
  return cluster;
}

test("restore namespace offers the volumes of the former namespace, and says whose it must be", async () => {
  const { admin, holdfast } = await withFormerNamespaces("a");
  const offered = async (name: string) =>
    (await admin.get(PersistentVolume, undefined, name))?.metadata.annotations?.["holdfast.dev/offer"];
  const command = "  kubectl annotate pv kept-a holdfast.dev/offer=yes --overwrite\n";
  const dry = await holdfast(["restore", "namespace", "shop", "--dry-run"]);
  expect([dry.code, dry.out]).toEqual([0, expect.stringContaining(`${command}Nothing was written.\n`)]);
  expect(await offered("kept-a")).toBeUndefined();
  const { code, out } = await holdfast(["restore", "namespace", "shop"], ["*"], ["patch"]);
  expect([code, out]).toEqual([0, expect.stringContaining(`${command}Done.`)]);
  expect(out).toContain("Make sure that the namespace belongs to the people of the former one.");
  expect(await offered("kept-a")).toBe("yes");
});

test("of several former namespaces, restore namespace takes the one that is named, and no other", async () => {
  const { admin, holdfast } = await withFormerNamespaces("a", "b");
  const offered = async () => {
    const volumes = await Array.fromAsync(admin.list<KubernetesObject>(PersistentVolume));
    return volumes.flatMap(({ metadata }) => (metadata.annotations?.["holdfast.dev/offer"] ? [metadata.name] : []));
  };
  const asked = (...args: string[]) => holdfast(["restore", "namespace", "shop", ...args], ["*"], ["patch"]);
  const { code, err } = await asked();
  expect([code, err]).toEqual([2, expect.stringContaining("one with --former: a (kept-a), b (kept-b)")]);
  const wrong = await asked("--former", "c");
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("No volume is kept of a namespace shop")]);
  expect(await offered()).toEqual([]);
  expect((await asked("--former", "b")).code).toBe(0);
  expect(await offered()).toEqual(["kept-b"]);
});

test("restore release asks, and does nothing where there is no one to ask", async () => {
  const cluster = await withKeptVolume();
  const { code, err } = await cluster.holdfast(["restore", "release", "kept", "-o", "name"], ["*"], ["patch"]);
  expect([code, err]).toEqual([2, expect.stringContaining("give --yes to go on")]);
  expect(await annotationsOf(cluster)).toHaveProperty(["holdfast.dev/reclaim-at"], due);
  const agreed = ["restore", "release", "kept", "--yes", "-o", "name"];
  expect(await cluster.holdfast(agreed, ["*"], ["patch"])).toMatchObject({ code: 0, out: "persistentvolume/kept\n" });
  expect(Date.parse((await annotationsOf(cluster))?.["holdfast.dev/reclaim-at"] ?? "")).toBeLessThan(Date.now());
});

test("restore keep writes a longer time at once, and a shorter one only with --yes", async () => {
  const cluster = await withKeptVolume();
  const until = async () => (await annotationsOf(cluster))?.["holdfast.dev/reclaim-at"];
  const keep = (...args: string[]) => cluster.holdfast(["restore", "keep", "kept", ...args], ["*"], ["patch"]);
  const { code, err } = await keep("--for", "0s");
  expect([code, err]).toEqual([2, expect.stringContaining("give --yes to go on")]);
  expect(await until()).toBe(due);
  expect((await keep("--for", "3650d")).code).toBe(0);
  expect(Date.parse((await until()) ?? "")).toBeGreaterThan(Date.parse(due));
  expect((await keep("--for", "ever")).code).toBe(0);
  expect(await until()).toBeUndefined();
  expect((await keep("--for", "1h")).code).toBe(2);
  expect((await keep("--for", "1h", "--yes")).code).toBe(0);
  expect(Date.parse((await until()) ?? "")).toBeLessThan(Date.parse(due));
});

test.each([
  [["restore", "claim", "nope", "-n", "shop"], "No volume is kept of claim shop/nope. Those that are kept: holdfast"],
  [["restore", "keep", "nope", "--for", "7d"], "There is no volume nope."],
  [["restore", "keep", "kept"], "Say how long: --for 30m"],
  [["restore", "keep"], "restore keep needs a name."],
  [["restore", "list", "shop"], "restore list takes no name. For one namespace: restore list -n shop"],
  [["restore", "claim", "data", "-n", "shop", "--for", "7d"], "--for works only with restore keep."],
  [["restore", "keep", "kept", "--for", "7d", "--volume", "kept"], "--volume works only with restore claim."],
  [["restore", "claim", "data", "-n", "shop", "--former", "a"], "--former works only with restore namespace."],
  [["restore", "namespace", "shop"], "There is no namespace shop. Create it, run this again"],
  [["restore", "keep", "kept", "--for", "ever"], "Ask for this right, or name another --context."],
])("%j ends with 2, writes nothing, and says what to do", async (args, message) => {
  const cluster = await withKeptVolume();
  const before = await annotationsOf(cluster);
  const { code, err } = await cluster.holdfast(args);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  expect(await annotationsOf(cluster)).toEqual(before);
});
