import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { NeutronL2Agent, NovaComputeNode } from "../../../functions/eviction/lib/kinds.ts";
import { approvalKey, pauseKey, retryKey } from "../../../functions/eviction/lib/names.ts";
import { kubeletNode } from "../../harness/cluster-objects.ts";
import {
  agentPod,
  boot,
  cleared,
  computeOf,
  conditionOf,
  labelOf,
  namespace,
  other,
  podOf,
  serves,
  serviceOf,
  serving,
  swept,
  updateL2Agent,
  whereabouts,
} from "../../scenarios/eviction/helpers.ts";
import { standInSetting } from "../../scenarios/eviction/settings.ts";
import { kubectl } from "../kubectl.ts";
import { backendOnCluster } from "../open-backend.ts";
import { ownCluster } from "../own-cluster.ts";
import { blocksBelow, scriptOf } from "./page.ts";
import { openWalk } from "./walk.ts";

const page = "docs/eviction.md";
const cluster = ownCluster;
const setting = standInSetting({ EVICTION_DOWN_FOR: "15s", EVICTION_LOOK_AGAIN: "2000" });

describe.skipIf(!cluster || !kubectl)(`${page} walked beside the stand-in for OpenStack`, { timeout: 600_000 }, () => {
  if (!cluster || !kubectl) return;
  const { open } = backendOnCluster(cluster);

  test("each of its commands does what the page says", async () => {
    const world = await open(setting, { whenOver: onTestFinished });
    const folder = mkdtempSync(join(tmpdir(), "walk-eviction-"));
    const walk = openWalk(folder, cluster.kubeconfig, { texts: [["node-a", kubeletNode]], commands: {} });
    /** The commands below a heading, or one block of them. */
    const run = (heading: string, ...blocks: readonly number[]) => {
      const all = blocksBelow(page, heading);
      // Blocks of the language text are for other cases than this one.
      const whole = all.filter(({ language }) => language !== "text");
      return walk.run(scriptOf(blocks.length > 0 ? blocks.flatMap((at) => all[at] ?? []) : whole));
    };
    const annotations = async () => (await computeOf(world))?.metadata.annotations ?? {};
    const asks = () =>
      swept(world, "it asks for agreement", async () =>
        (await conditionOf(world, "converged")).includes(`${approvalKey}=true`),
      );
    const isNotEvicting = () =>
      swept(world, "it is called off", async () => (await conditionOf(world, "evicted")).startsWith("NotEvicting"));
    try {
      await serving(world);
      const ids = await boot(world, 1);

      // The definitions here are Holdfast's: these keep the field.
      expect(await run("Where Yaook's definitions are installed")).toContain('"key":"compute.yaook.cloud/hypervisor"');
      await run("A compute node leaves", 1);
      await asks();
      await run("Agree");
      await swept(world, "it is evicted", async () => (await conditionOf(world, "evicted")).startsWith("Evicted"));
      expect(await whereabouts(world, ids)).toEqual([`ACTIVE ${other}`]);
      expect(await run("Look")).toMatch(/novacomputenode\S+ +DisabledAndCleared +False +Evicted[\s\S]*l2-lock/);
      await run("Call it off", 0);
      await serves(world, NovaComputeNode);
      await isNotEvicting();

      await run("Pause");
      expect(await annotations()).not.toHaveProperty(pauseKey);
      await run("Try again");
      await run("Give a host up");
      expect(await annotations()).toHaveProperty(retryKey);
      // The two between them are those of "A compute node leaves" and "Agree".
      await run("A host that is down", 0, 3);
      expect((await computeOf(world))?.spec.eviction?.ironicNodeShutdown).toEqual({ node: kubeletNode });
      await run("From Yaook's own eviction, and back");

      await run("A compute node leaves", 0);
      await asks();
      await run("Agree");
      await swept(world, "nova-compute is disabled", async () => !(await serviceOf(world)).isEnabled);
      await run("Call it off", 1);
      await swept(world, "nova-compute is enabled again", async () => (await serviceOf(world)).isEnabled);
      await run("Agree");
      await swept(world, "the resource is gone", async () => !(await computeOf(world)));

      const before = (await podOf(world, agentPod(NeutronL2Agent)))?.metadata.uid;
      await updateL2Agent(world, {});
      await run("An L2 or OVN agent leaves");
      await swept(world, "the L2 agent's pod is another one, and ready", async () => {
        const pod = await podOf(world, agentPod(NeutronL2Agent));
        return pod && pod.metadata.uid !== before && (await labelOf(world)) === "False";
      });

      await run("Without Yaook");
      expect(await world.admin.get(NovaComputeNode, namespace, "node-b")).toBeDefined();
    } finally {
      await world.admin.delete(NovaComputeNode, namespace, "node-b");
      const unheld = { metadata: { finalizers: null } };
      await world.admin.patch(NovaComputeNode, namespace, "node-b", "merge", unheld).catch(() => {});
      await cleared(world);
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
