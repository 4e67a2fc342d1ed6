import { expect } from "vitest";
import type { Call, Cluster } from "../../harness/cluster.ts";
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
function beforeRemoval(cluster: Cluster, finalizer: string, step: () => Promise<void>): () => boolean {
  let done = false;
  cluster.intercept(async ({ rule, request }: Call, send) => {
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
async function race(cluster: Cluster, finalizer: string, step: () => Promise<void>): Promise<void> {
  await boundClaim(cluster, "data");
  await createPod(cluster, "late", ["data"]);
  const isRun = beforeRemoval(cluster, finalizer, step);
  await deleteClaim(cluster, "data");
  await cluster.eventually("the race is run", isRun);
}

/**
 * The race that Kubernetes' own protection leaves open: a pod is bound between the list that did not show it and the
 * write that releases the claim. The scheduler that binds it saw the claim before its deletion.
 */
export const lateBinding: readonly Scenario[] = [
  {
    title:
      "a pod that is bound between list and release starts, and the claim stays, because the second phase finds it",
    within: true,
    // If Kubernetes' own controller removes its finalizer, the test cannot act between list and removal.
    settings: [alone],
    async run(cluster) {
      await race(cluster, inTree, async () => {
        await bind(cluster, "late", node);
        await podRuns(cluster, "late");
      });
      expect((await claimIsHeld(cluster, "data")).pods).toEqual([{ pod: "late", node }]);
      // The removal goes on when the pod runs.
      await cluster.eventually("ours alone is left", async () => {
        return (await claimOf(cluster, "data"))?.metadata.finalizers?.join() === ours(cluster);
      });
      await claimStays(cluster, "data");
      expect(await isRunning(cluster, "late")).toBe(true);
      await removePod(cluster, "late");
      await claimGoes(cluster, "data");
    },
  },
  {
    title:
      "a pod that is bound after Kubernetes' own finalizer is gone is refused by the kubelet, " +
      "and no running pod loses its claim",
    within: true,
    settings: twoPhased,
    async run(cluster) {
      await race(cluster, ours(cluster), async () => {
        expect((await claimOf(cluster, "data"))?.metadata.finalizers).not.toContain(inTree);
        await bind(cluster, "late", node);
        await kubeletRefuses(cluster, "late");
      });
      await claimGoes(cluster, "data");
      await cluster.rest();
      expect(await isRunning(cluster, "late")).toBe(false);
    },
  },
  {
    title: "with a single finalizer the race is open, as in Kubernetes",
    within: true,
    settings: [standIn],
    harms: true,
    async run(cluster) {
      await race(cluster, inTree, async () => {
        await bind(cluster, "late", node);
        await podRuns(cluster, "late");
      });
      await claimGoes(cluster, "data");
      expect(await isRunning(cluster, "late")).toBe(true);
    },
  },
];
