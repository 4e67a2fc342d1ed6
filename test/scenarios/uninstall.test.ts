import { expect, test } from "vitest";
import { loadRules, systemNames } from "../../cli/rules/load-systems.ts";
import { ours } from "../../cli/uninstall/installed.ts";
import { type UninstallScope, uninstall } from "../../cli/uninstall/uninstall.ts";
import { Namespace } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { emulatedWorld } from "../worlds/emulated-world.ts";
import { ClusterRole, ClusterRoleBinding, ConfigMap } from "../worlds/kinds.ts";
import { configMap } from "../worlds/manifest.ts";
import { timePasses } from "../worlds/time-passes.ts";
import type { Setting, World } from "../worlds/world.ts";
import { shipped } from "./undelete/settings.ts";
import { nothingHangs, plays } from "./uninstall/plays.ts";

/** With the admission policy, which puts the finalizer on in the very request. */
const everything: Setting = { ...shipped, components: ["pvc-protection/admission-policy"] };
const rules = await loadRules(systemNames());

/** Runs the command's work on a world, and returns what it has said. */
async function run(world: World, scope: Partial<UninstallScope> = {}): Promise<string> {
  const said: string[] = [];
  const { admin: client, clock } = world;
  const tools = { client, clock, say: (sentence: string) => void said.push(sentence), mayGoOn: async () => true };
  const all = { systems: [], rules, definitions: [], dryRun: false, leaveUnfinished: false, ...scope };
  await timePasses(world, "the uninstall ends", uninstall(tools, all));
  return said.join("\n");
}

const isInstalled = async ({ admin }: World) =>
  (await Array.fromAsync(admin.list(ClusterRole, { labelSelector: ours }))).length > 0;

test("an uninstall while every function is at work leaves nothing that holds an object or deletes data", async () => {
  const world = await emulatedWorld(everything);
  const after = [];
  for (const play of Object.values(plays)) after.push(await play(world));
  const said = await run(world);
  // The functions are still there, and hear of every change: without rights they do nothing.
  for (const check of after) await check(said);
  await nothingHangs(world);
  expect(await world.admin.get(Namespace, undefined, "holdfast")).toBeUndefined();
  expect(await isInstalled(world)).toBe(false);
  expect(await run(world)).toContain("There is nothing of Holdfast to be taken off.");
});

test("a dry run says what would be done, and touches nothing", async () => {
  const world = await emulatedWorld(everything);
  await plays["pvc-protection"]?.(world);
  const said = await run(world, { dryRun: true });
  expect(said).toMatch(/roles.*\n.*Finalizers: 2 persistentvolumeclaims carry .*kept/);
  expect(said).toMatch(/Namespace holdfast/);
  expect(await isInstalled(world)).toBe(true);
  expect(await world.admin.get(Namespace, undefined, "holdfast")).toBeDefined();
});

test("the namespace of Holdfast stays while there is anything of others in it, which is named", async () => {
  const world = await emulatedWorld(everything);
  await world.admin.create(ConfigMap, configMap({ namespace: "holdfast", name: "of-others" }));
  const said = await run(world);
  expect(said).toContain("Namespace holdfast stays, because there is more in it: ConfigMap of-others.");
  expect(await world.admin.get(ConfigMap, "holdfast", "of-others")).toBeDefined();
  expect(await isInstalled(world)).toBe(false);
});

test("an uninstall of one system leaves the others at work", async () => {
  const world = await emulatedWorld(everything);
  const [retained, keep] = [await plays["pvc-retention"]?.(world), await plays.undelete?.(world)];
  await retained?.(await run(world, { systems: ["pvc-retention"], rules: await loadRules(["pvc-retention"]) }));
  expect(await world.admin.get(Namespace, undefined, "holdfast")).toBeDefined();
  await keep?.(await run(world));
});

test("what the functions have left is taken off also where somebody has deleted them before", async () => {
  const world = await emulatedWorld(everything);
  const after = [await plays["pvc-protection"]?.(world), await plays.undelete?.(world)];
  for (const kind of [ClusterRoleBinding, ClusterRole])
    for await (const { metadata } of world.admin.list<KubernetesObject>(kind, { labelSelector: ours }))
      await world.admin.delete(kind, undefined, metadata.name);
  await world.admin.delete(Namespace, undefined, "holdfast");
  const said = await run(world);
  for (const check of after) await check?.(said);
});
