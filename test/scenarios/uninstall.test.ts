import { expect, test } from "vitest";
import { loadRules, systemNames } from "../../cli/rules/load-systems.ts";
import { ours } from "../../cli/uninstall/installed.ts";
import { type UninstallScope, uninstall } from "../../cli/uninstall/uninstall.ts";
import { ApiError } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { hasFinalizer } from "../../shared/kubernetes/finalizer.ts";
import { type Kind, Namespace, PersistentVolumeClaim } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { holdfastProtection } from "../../shared/storage/protection.ts";
import { offerGuard } from "../../shared/storage/volume.ts";
import { advanceUntilSettled } from "../harness/advance-until-settled.ts";
import type { Cluster, Setting } from "../harness/cluster.ts";
import { ClusterRole, ClusterRoleBinding, ConfigMap } from "../harness/kinds.ts";
import { claim, configMap } from "../harness/manifest.ts";
import { openCluster } from "../harness/open-cluster.ts";
import { offeredVolume } from "./undelete/helpers.ts";
import { shipped } from "./undelete/settings.ts";
import { nothingHangs, plays } from "./uninstall/plays.ts";

/** With the admission policy, which puts the finalizer on in the very request. */
const everything: Setting = { ...shipped, components: ["pvc-protection/admission-policy"] };
const rules = await loadRules(systemNames());

/** Runs the command's work on a cluster, and returns what it has said. */
async function run(cluster: Cluster, scope: Partial<UninstallScope> = {}): Promise<string> {
  const said: string[] = [];
  const { admin: client, clock } = cluster;
  const tools = { client, clock, say: (sentence: string) => void said.push(sentence), mayGoOn: async () => true };
  const all = { systems: [], rules, definitions: [], dryRun: false, leaveUnfinished: false, ...scope };
  await advanceUntilSettled(cluster, "the uninstall ends", uninstall(tools, all));
  return said.join("\n");
}

const isInstalled = async ({ admin }: Cluster) =>
  (await Array.fromAsync(admin.list(ClusterRole, { labelSelector: ours }))).length > 0;

test("an uninstall while every function is at work leaves nothing that holds an object or deletes data", async () => {
  const cluster = await openCluster(everything);
  const after = [];
  for (const play of Object.values(plays)) after.push(await play(cluster));
  const said = await run(cluster);
  // The functions are still there, and hear of every change: without rights they do nothing.
  for (const check of after) await check(said);
  await nothingHangs(cluster);
  expect(await cluster.admin.get(Namespace, undefined, "holdfast")).toBeUndefined();
  expect(await isInstalled(cluster)).toBe(false);
  expect(await run(cluster)).toContain("Nothing of Holdfast is left to remove.");
});

test("a dry run says what would be done, and touches nothing", async () => {
  const cluster = await openCluster(everything);
  await plays["pvc-protection"]?.(cluster);
  const said = await run(cluster, { dryRun: true });
  expect(said).toMatch(/roles.*\n.*Finalizers: 2 persistentvolumeclaims carry .*kept/);
  expect(said).toMatch(/Namespace holdfast/);
  expect(await isInstalled(cluster)).toBe(true);
  expect(await cluster.admin.get(Namespace, undefined, "holdfast")).toBeDefined();
});

test("the namespace of Holdfast stays while there is anything of others in it, which is named", async () => {
  const cluster = await openCluster(everything);
  await cluster.admin.create(ConfigMap, configMap({ namespace: "holdfast", name: "of-others" }));
  const said = await run(cluster);
  expect(said).toContain("Namespace holdfast stays, because there is more in it: ConfigMap of-others.");
  expect(await cluster.admin.get(ConfigMap, "holdfast", "of-others")).toBeDefined();
  expect(await isInstalled(cluster)).toBe(false);
});

test("an uninstall of one system leaves the others at work", async () => {
  const cluster = await openCluster(everything);
  const [retained, keep] = [await plays["pvc-retention"]?.(cluster), await plays.undelete?.(cluster)];
  const said = await run(cluster, { systems: ["pvc-retention"], rules: await loadRules(["pvc-retention"]) });
  expect(said).toMatch(/\nRemoved from this cluster: pvc-retention\. Take that out of your overlay .*$/);
  await retained?.(said);
  expect(await cluster.admin.get(Namespace, undefined, "holdfast")).toBeDefined();
  await keep?.(await run(cluster));
});

test("what the functions have left is removed also where a person has deleted them before", async () => {
  const cluster = await openCluster(everything);
  const after = [await plays["pvc-protection"]?.(cluster), await plays.undelete?.(cluster)];
  for (const kind of [ClusterRoleBinding, ClusterRole])
    for await (const { metadata } of cluster.admin.list<KubernetesObject>(kind, { labelSelector: ours }))
      await cluster.admin.delete(kind, undefined, metadata.name);
  await cluster.admin.delete(Namespace, undefined, "holdfast");
  const said = await run(cluster);
  for (const check of after) await check?.(said);
});

test("where the functions are gone, the finalizer that they were set to is removed all the same", async () => {
  const own = "corp.example/keep";
  // Their Services are never on this API server.
  const cluster = await openCluster({ ...shipped, finalizer: own, components: ["pvc-protection/claim-adds"] });
  const { admin, namespace } = cluster;
  await admin.create(PersistentVolumeClaim, claim({ namespace, name: "held" }));
  const finalizers = async () =>
    (await admin.get<KubernetesObject>(PersistentVolumeClaim, namespace, "held"))?.metadata.finalizers;
  await cluster.eventually("it is protected", async () => (await finalizers())?.includes(own));
  await run(cluster);
  expect(await finalizers()).not.toContain(own);
});

test("claims whose finalizer cannot be removed keep it alone, are named, and are let go in the next run", async () => {
  const cluster = await openCluster(everything);
  const { admin, namespace } = cluster;
  const names = ["first", "second", "third"];
  for (const name of names) await admin.create(PersistentVolumeClaim, claim({ namespace, name }));
  const held = async () => {
    const claims = await Array.fromAsync(admin.list(PersistentVolumeClaim, { namespace }));
    return claims.filter((one) => hasFinalizer(one, holdfastProtection)).map(({ metadata }) => metadata.name);
  };
  expect(await held()).toEqual(names);
  const patch: Client["patch"] = async (kind, home, name, ...more) => {
    if (kind !== PersistentVolumeClaim || name === "third") return admin.patch(kind, home, name, ...more);
    throw new ApiError(`PATCH of ${name}`, { status: 403, reason: "Forbidden", message: "not on a Friday" });
  };
  const ended = run({ ...cluster, admin: { ...admin, patch } });
  await expect(ended).rejects.toThrow(/PATCH of first failed with 403 .*PATCH of second failed with 403 /);
  expect(await held()).toEqual(["first", "second"]);
  expect(await run(cluster)).toContain("Holdfast is removed from this cluster.");
  expect(await held()).toEqual([]);
});

test("claims are let go although an offer cannot be withdrawn, and its namespace is held until it is", async () => {
  const cluster = await openCluster(everything);
  const { admin, namespace } = cluster;
  await admin.create(PersistentVolumeClaim, claim({ namespace, name: "data" }));
  const volume = await offeredVolume(cluster, { name: "lost" });
  const patch: Client["patch"] = async (kind, home, name, ...more) => {
    if (name !== volume) return admin.patch(kind, home, name, ...more);
    throw new ApiError(`PATCH of ${name}`, { status: 403, reason: "Forbidden", message: "not on a Friday" });
  };
  const ended = run({ ...cluster, admin: { ...admin, patch } });
  await expect(ended).rejects.toThrow(`PATCH of ${volume} failed with 403`);
  const isHeld = async (kind: Kind, home: string | undefined, name: string, finalizer: string) =>
    hasFinalizer((await admin.get(kind, home, name)) as KubernetesObject, finalizer);
  expect(await isHeld(PersistentVolumeClaim, namespace, "data", holdfastProtection)).toBe(false);
  expect(await isHeld(Namespace, undefined, namespace, offerGuard)).toBe(true);
  expect(await run(cluster)).toContain("Holdfast is removed from this cluster.");
  expect(await isHeld(Namespace, undefined, namespace, offerGuard)).toBe(false);
});

test("without a right that it needs, an uninstall changes nothing, and names what is missing", async () => {
  const cluster = await openCluster(everything);
  const { admin, namespace } = cluster;
  await admin.create(PersistentVolumeClaim, claim({ namespace, name: "data" }));
  const lacking = ["clusterrolebindings", "persistentvolumeclaims"];
  const create: Client["create"] = async (kind, object, ...more) => {
    const { resourceAttributes } = (object as { spec?: { resourceAttributes?: { resource: string } } }).spec ?? {};
    const answer = await admin.create(kind, object, ...more);
    return lacking.includes(resourceAttributes?.resource ?? "") ? { ...answer, status: { allowed: false } } : answer;
  };
  const limited = { ...cluster, admin: { ...admin, create } };
  const missing =
    "You may not: delete clusterrolebindings.rbac.authorization.k8s.io, patch persistentvolumeclaims. " +
    "Uninstall with an account that has these rights.";
  await expect(run(limited)).rejects.toThrow(`${missing} Nothing was changed.`);
  expect(await run(limited, { dryRun: true })).toContain(missing);
  expect(await isInstalled(cluster)).toBe(true);
  expect(await admin.get(ConfigMap, "holdfast", "holdfast-sweep")).toBeDefined();
});

test("rights to the objects that it is about, by their names, are enough for an uninstall", async () => {
  const cluster = await openCluster(everything);
  const { admin, namespace } = cluster;
  await admin.create(PersistentVolumeClaim, claim({ namespace, name: "data" }));
  const create: Client["create"] = async (kind, object, ...more) => {
    const { resourceAttributes } = (object as { spec?: { resourceAttributes?: Record<string, string> } }).spec ?? {};
    const answer = await admin.create(kind, object, ...more);
    const isAllowed = resourceAttributes?.name !== undefined || resourceAttributes?.verb === "list";
    return resourceAttributes ? { ...answer, status: { allowed: isAllowed } } : answer;
  };
  expect(await run({ ...cluster, admin: { ...admin, create } })).toContain("Holdfast is removed from this cluster.");
});
