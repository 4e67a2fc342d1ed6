import { expect } from "vitest";
import type { Call, World } from "../../worlds/world.ts";
import type { Scenario } from "../scenario.ts";
import {
  bind,
  boundClaim,
  claimGoes,
  claimIsHeld,
  claimOf,
  claimStays,
  createPod,
  deleteClaim,
  inTree,
  isRunning,
  kubeletRefuses,
  node,
  ours,
  podRuns,
  release,
  removePod,
} from "./helpers.ts";
import { alone, standIn, twoPhased } from "./settings.ts";

/** Does something once, right before release takes a finalizer away. */
function beforeRemoval(world: World, finalizer: string, step: () => Promise<void>): () => boolean {
  let done = false;
  world.intercept(async ({ rule, request }: Call, send) => {
    const removes = rule === release && request.method === "PATCH" && request.body?.includes(`"value":"${finalizer}"`);
    if (removes && !done) {
      done = true;
      await step();
    }
    return send();
  });
  return () => done;
}

/** Does something with pod `late`, which has no node yet, right before release takes a finalizer off its claim. */
async function race(world: World, finalizer: string, step: () => Promise<void>): Promise<void> {
  await boundClaim(world, "data");
  await createPod(world, "late", ["data"]);
  const isRun = beforeRemoval(world, finalizer, step);
  await deleteClaim(world, "data");
  await world.eventually("the race is run", isRun);
}

/**
 * The race that Kubernetes' own protection leaves open: a pod is bound between the list that did not show it and the
 * write that lets the claim go. Whoever binds it saw the claim before its deletion.
 */
export const lateBinding: readonly Scenario[] = [
  {
    title: "a pod bound between list and release starts, and the claim stays: the second phase sees it",
    within: true,
    // Where Kubernetes' own controller removes its finalizer, nobody can step in between.
    settings: [alone],
    async run(world) {
      await race(world, inTree, async () => {
        await bind(world, "late", node);
        await podRuns(world, "late");
      });
      expect((await claimIsHeld(world, "data")).pods).toEqual([{ pod: "late", node }]);
      // The removal goes on when the pod runs.
      await world.eventually("ours alone is left", async () => {
        return (await claimOf(world, "data"))?.metadata.finalizers?.join() === ours(world);
      });
      await claimStays(world, "data");
      expect(await isRunning(world, "late")).toBe(true);
      await removePod(world, "late");
      await claimGoes(world, "data");
    },
  },
  {
    title:
      "a pod bound after Kubernetes' own finalizer is gone is refused by the kubelet, " +
      "and the claim goes under no running pod",
    within: true,
    settings: twoPhased,
    async run(world) {
      await race(world, ours(world), async () => {
        expect((await claimOf(world, "data"))?.metadata.finalizers).not.toContain(inTree);
        await bind(world, "late", node);
        await kubeletRefuses(world, "late");
      });
      await claimGoes(world, "data");
      await world.rest();
      expect(await isRunning(world, "late")).toBe(false);
    },
  },
  {
    title: "under one finalizer the race is open, as it is in Kubernetes",
    within: true,
    settings: [standIn],
    harms: true,
    async run(world) {
      await race(world, inTree, async () => {
        await bind(world, "late", node);
        await podRuns(world, "late");
      });
      await claimGoes(world, "data");
      expect(await isRunning(world, "late")).toBe(true);
    },
  },
];
