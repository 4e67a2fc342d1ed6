import { expect } from "vitest";
import type { World } from "../../worlds/world.ts";
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
  runningSet,
  scale,
  setOf,
  touchUntil,
  volumeGoes,
} from "./helpers.ts";
import { type Fate, type PolicyName, policies, policyNames } from "./policies.ts";

/** Sees what becomes of claims that there was data behind. */
function meets(world: World, fate: Fate, ordinals: readonly number[], data: readonly Data[]): Promise<void> {
  return fate === "go" ? dataGoes(world, ordinals, data) : dataStays(world, ordinals, data);
}

/** Sees that the set runs with two pods, the first with its data, the second with its own or none. */
async function isBack(world: World, fate: Fate, [first, second]: readonly [Data, Data]): Promise<void> {
  await podsRun(world, 2);
  const [one, other] = await dataOf(world, [0, 1]);
  expect(one).toEqual(first);
  if (fate === "stay") expect(other).toEqual(second);
  else {
    expect(other?.volume).not.toBe(second.volume);
    await volumeGoes(world, second);
  }
}

/**
 * A pod is deleted by hand, and scaled away while it stops: one that is gone before Kubernetes' controller has seen the
 * scale-down leaves its claim behind.
 */
async function deleteAndScaleAway(world: World): Promise<void> {
  await holdPod(world, 1);
  await deletePod(world, 1);
  await scale(world, 1);
  await world.eventually("the scale-down is seen", async () => {
    const { metadata, status } = await setOf(world);
    return status?.observedGeneration === metadata.generation;
  });
  await letGoOfPod(world, 1);
  await podIsGone(world, 1);
}

/** The document's list for one policy. The numbers are its own. */
function listOf(policy: PolicyName): readonly Scenario[] {
  const { scaled, deleted } = policies[policy];
  const scaledAway = scaled === "go" ? "its claim goes" : "its claim stays";
  const back = scaled === "go" ? "the volume is empty" : "the data is there";
  const running = async (world: World): Promise<[Data, Data]> => {
    await runningSet(world, { policy });
    return (await dataOf(world, [0, 1])) as [Data, Data];
  };
  return [
    {
      title: `${policy} 1: a replica is scaled away and ${scaledAway}`,
      async run(world) {
        const data = await running(world);
        await scale(world, 1);
        await podIsGone(world, 1);
        await meets(world, scaled, [1], data.slice(1));
        await dataStays(world, [0], data);
      },
    },
    {
      title: `${policy} 2: a replica is scaled away and comes back, and ${back}`,
      async run(world) {
        const data = await running(world);
        await scale(world, 1);
        await podIsGone(world, 1);
        if (scaled === "go") await claimIsGone(world, 1, data[1].claim);
        await scale(world, 2);
        await isBack(world, scaled, data);
      },
    },
    {
      title: `${policy} 2: a replica is scaled away and at once wanted again, and ${back}`,
      async run(world) {
        const data = await running(world);
        await scale(world, 1);
        await podIsGone(world, 1);
        await scale(world, 2);
        if (scaled === "go") {
          await claimIsGone(world, 1, data[1].claim);
          // Kubernetes' controller waits for that, and does not see it: it takes the next change of the set.
          await touchUntil(world, "another pod is there", () => podOf(world, 1));
        }
        await isBack(world, scaled, data);
      },
    },
    {
      title: `${policy} 3: the set is deleted and its claims ${deleted}`,
      async run(world) {
        const data = await running(world);
        await deleteSet(world);
        for (const ordinal of [0, 1]) await podIsGone(world, ordinal);
        await meets(world, deleted, [0, 1], data);
      },
    },
    {
      title: `${policy} 4: a pod is deleted by hand and comes back with its data`,
      async run(world) {
        const data = await running(world);
        await restartPods(world, [1]);
        await isBack(world, "stay", data);
        await dataStays(world, [0, 1], data);
      },
    },
    {
      title: `${policy} 5: all pods are deleted by hand and come back with their data`,
      async run(world) {
        const data = await running(world);
        await restartPods(world, [0, 1]);
        await isBack(world, "stay", data);
        await dataStays(world, [0, 1], data);
      },
    },
    {
      title: `${policy} 6: a pod is deleted by hand and at once scaled away, and ${scaledAway}`,
      async run(world) {
        const data = await running(world);
        await deleteAndScaleAway(world);
        await meets(world, scaled, [1], data.slice(1));
        await dataStays(world, [0], data);
      },
    },
    {
      title: `${policy} 7: a pod is deleted by hand, at once scaled away and comes back, and ${back}`,
      async run(world) {
        const data = await running(world);
        await deleteAndScaleAway(world);
        if (scaled === "go") await claimIsGone(world, 1, data[1].claim);
        await scale(world, 2);
        await isBack(world, scaled, data);
      },
    },
    {
      title: `${policy} 8: a rolling update keeps claims, and the updated pods have their data`,
      async run(world) {
        const data = await running(world);
        await rollOut(world);
        await isBack(world, "stay", data);
        await dataStays(world, [0, 1], data);
      },
    },
  ];
}

/** The list that the document gives, for each of its policies. */
export const documentList: readonly Scenario[] = policyNames.flatMap(listOf);
