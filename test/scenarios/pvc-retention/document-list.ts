import { expect } from "vitest";
import type { World } from "../../worlds/world.ts";
import type { Story } from "../story.ts";
import { type PolicyName, policies, policyNames } from "./policies.ts";
import { type Data, dataGoes, dataOf, dataStays, deleteSet, podIsGone, podsRun, runningSet, scale } from "./words.ts";

/** What a policy does with claims of these ordinals. */
function fate(world: World, what: "stay" | "go", ordinals: readonly number[], data: readonly Data[]): Promise<void> {
  return what === "go" ? dataGoes(world, ordinals, data) : dataStays(world, ordinals, data);
}

/** The document's list for one policy; its numbers are those of the document. */
function listOf(policy: PolicyName): readonly Story[] {
  const { scaled, deleted } = policies[policy];
  const scaledData = scaled === "go" ? "a claim goes" : "the claim stays";
  return [
    {
      title: `${policy} 1: scaled from 2 to 1, ${scaledData}, and the other claim stays`,
      async tell(world) {
        await runningSet(world, { policy });
        const data = await dataOf(world, [0, 1]);
        await scale(world, 1);
        await podIsGone(world, 1);
        await fate(world, scaled, [1], data.slice(1));
        await dataStays(world, [0], data);
      },
    },
    {
      title: `${policy} 3: the set is deleted and its claims ${deleted}`,
      async tell(world) {
        await runningSet(world, { policy });
        const data = await dataOf(world, [0, 1]);
        await deleteSet(world);
        for (const ordinal of [0, 1]) await podIsGone(world, ordinal);
        await fate(world, deleted, [0, 1], data);
      },
    },
  ];
}

export const documentList: readonly Story[] = policyNames.flatMap(listOf);
