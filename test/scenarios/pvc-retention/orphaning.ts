import { expect } from "vitest";
import type { Scenario } from "../scenario.ts";
import {
  belongsTo,
  createSet,
  dataGoes,
  dataOf,
  dataStays,
  deletePod,
  deleteSet,
  inForce,
  podIsGone,
  podOf,
  podsRun,
  runningSet,
  scale,
} from "./helpers.ts";
import { type PolicyName, policies, policyNames } from "./policies.ts";

function withPolicy(policy: PolicyName): readonly Scenario[] {
  const { scaled, deleted } = policies[policy];
  return [
    {
      title: `${policy}: with --cascade=orphan pods run on and claims stay, also when the pods are deleted by hand`,
      async run(world) {
        await runningSet(world, { policy });
        const data = await dataOf(world, [0, 1]);
        const pod = await podOf(world, 1);
        await deleteSet(world, "Orphan");
        await dataStays(world, [0, 1], data);
        expect((await podOf(world, 1))?.metadata.uid).toBe(pod?.metadata.uid);
        for (const ordinal of [0, 1]) await belongsTo(world, ordinal, []);

        for (const ordinal of [0, 1]) await deletePod(world, ordinal);
        for (const ordinal of [0, 1]) await podIsGone(world, ordinal);
        await dataStays(world, [0, 1], data);
      },
    },
    {
      title: `${policy}: a set that is made again takes over what --cascade=orphan left, and its policy counts again`,
      async run(world) {
        await runningSet(world, { policy, replicas: 3 });
        const data = await dataOf(world, [0, 1, 2]);
        const pod = await podOf(world, 2);
        await deleteSet(world, "Orphan");
        await createSet(world, { policy, replicas: 3 });
        await podsRun(world, 3);
        await inForce(world, policy);
        expect((await podOf(world, 2))?.metadata.uid).toBe(pod?.metadata.uid);
        await dataStays(world, [0, 1, 2], data);

        await scale(world, 2);
        await podIsGone(world, 2);
        if (scaled === "go") await dataGoes(world, [2], data.slice(2));
        await deleteSet(world);
        for (const ordinal of [0, 1]) await podIsGone(world, ordinal);
        if (deleted === "go") await dataGoes(world, [0, 1], data);
        else await dataStays(world, [0, 1], data);
      },
    },
  ];
}

/**
 * A set that is deleted without its dependents: `kubectl delete --cascade=orphan`, `--cascade=false` in the document.
 */
export const orphaning: readonly Scenario[] = policyNames.flatMap(withPolicy);
