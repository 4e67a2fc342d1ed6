import { expect } from "vitest";
import type { Cluster } from "../../harness/cluster.ts";
import type { Scenario } from "../scenario.ts";
import {
  claimIsGone,
  type Data,
  dataGoes,
  dataOf,
  dataStays,
  deletePod,
  deleteSet,
  holdPod,
  letGoOfPod,
  podIsGone,
  podOf,
  podsRun,
  restartPods,
  rollOut,
  runningData,
  scale,
  setOf,
  touchUntil,
  volumeGoes,
} from "./helpers.ts";
import { both, type Fate, type PolicyName, policies, policyNames } from "./policies.ts";

/** Checks what happens to claims that had data. */
function meets(cluster: Cluster, fate: Fate, ordinals: readonly number[], data: readonly Data[]): Promise<void> {
  return fate === "go" ? dataGoes(cluster, ordinals, data) : dataStays(cluster, ordinals, data);
}

/** Sees that the set runs with two pods, the first with its data, the second with its own or none. */
async function isBack(cluster: Cluster, fate: Fate, [first, second]: readonly [Data, Data]): Promise<void> {
  await podsRun(cluster, 2);
  const [one, other] = await dataOf(cluster, [0, 1]);
  expect(one).toEqual(first);
  if (fate === "stay") expect(other).toEqual(second);
  else {
    expect(other?.volume).not.toBe(second.volume);
    await volumeGoes(cluster, second);
  }
}

/**
 * A pod is deleted by hand, and scaled away while it stops: one that is gone before Kubernetes' controller has seen the
 * scale-down leaves its claim behind.
 */
async function deleteAndScaleAway(cluster: Cluster): Promise<void> {
  await holdPod(cluster, 1);
  await deletePod(cluster, 1);
  await scale(cluster, 1);
  await cluster.eventually("the scale-down is seen", async () => {
    const { metadata, status } = await setOf(cluster);
    return status?.observedGeneration === metadata.generation;
  });
  await letGoOfPod(cluster, 1);
  await podIsGone(cluster, 1);
}

/** The document's list for one policy. The numbers are its own. */
function listOf(policy: PolicyName): readonly Scenario[] {
  const { scaled, deleted } = policies[policy];
  const scaledAway = scaled === "go" ? "its claim goes" : "its claim stays";
  const back = scaled === "go" ? "the volume is empty" : "the data is there";
  const running = async (cluster: Cluster) => (await runningData(cluster, { policy })) as [Data, Data];
  return [
    {
      title: `${policy} 1: a replica is scaled away and ${scaledAway}`,
      async run(cluster) {
        const data = await running(cluster);
        await scale(cluster, 1);
        await podIsGone(cluster, 1);
        await meets(cluster, scaled, [1], data.slice(1));
        await dataStays(cluster, [0], data);
      },
    },
    {
      title: `${policy} 2: a replica is scaled away and comes back, and ${back}`,
      async run(cluster) {
        const data = await running(cluster);
        await scale(cluster, 1);
        await podIsGone(cluster, 1);
        if (scaled === "go") await claimIsGone(cluster, 1, data[1].claim);
        await scale(cluster, 2);
        await isBack(cluster, scaled, data);
      },
    },
    {
      title: `${policy} 2: a replica is scaled away and at once wanted again, and ${back}`,
      async run(cluster) {
        const data = await running(cluster);
        await scale(cluster, 1);
        await podIsGone(cluster, 1);
        await scale(cluster, 2);
        if (scaled === "go") {
          await claimIsGone(cluster, 1, data[1].claim);
          // Kubernetes' controller waits for that, and does not see it: it takes the next change of the set.
          await touchUntil(cluster, "another pod is there", () => podOf(cluster, 1));
        }
        await isBack(cluster, scaled, data);
      },
    },
    {
      title: `${policy} 3: the set is deleted and its claims ${deleted}`,
      async run(cluster) {
        const data = await running(cluster);
        await deleteSet(cluster);
        for (const ordinal of [0, 1]) await podIsGone(cluster, ordinal);
        await meets(cluster, deleted, [0, 1], data);
      },
    },
    {
      title: `${policy} 4: a pod is deleted by hand and comes back with its data`,
      async run(cluster) {
        const data = await running(cluster);
        await restartPods(cluster, [1]);
        await isBack(cluster, "stay", data);
        await dataStays(cluster, [0, 1], data);
      },
    },
    {
      title: `${policy} 5: all pods are deleted by hand and come back with their data`,
      async run(cluster) {
        const data = await running(cluster);
        await restartPods(cluster, [0, 1]);
        await isBack(cluster, "stay", data);
        await dataStays(cluster, [0, 1], data);
      },
    },
    {
      title: `${policy} 6: a pod is deleted by hand and at once scaled away, and ${scaledAway}`,
      async run(cluster) {
        const data = await running(cluster);
        await deleteAndScaleAway(cluster);
        await meets(cluster, scaled, [1], data.slice(1));
        await dataStays(cluster, [0], data);
      },
    },
    {
      title: `${policy} 7: a pod is deleted by hand, at once scaled away and comes back, and ${back}`,
      async run(cluster) {
        const data = await running(cluster);
        await deleteAndScaleAway(cluster);
        if (scaled === "go") await claimIsGone(cluster, 1, data[1].claim);
        await scale(cluster, 2);
        await isBack(cluster, scaled, data);
      },
    },
    {
      title: `${policy} 8: a rolling update keeps claims, and the updated pods have their data`,
      async run(cluster) {
        const data = await running(cluster);
        await rollOut(cluster);
        await isBack(cluster, "stay", data);
        await dataStays(cluster, [0, 1], data);
      },
    },
  ];
}

/** The list that the document gives, for each of its policies. */
export const documentList: readonly Scenario[] = policyNames.flatMap(listOf);

/** Those in which a set with both policies is scaled, deleted and updated: every event that its rules act on. */
export const changesOfBoth = listOf(both).filter(({ title }) => /^[^:]* [138]:/.test(title));
