import { expect } from "vitest";
import type { Scenario } from "../scenario.ts";
import {
  belongsTo,
  createSet,
  dataGoes,
  dataStays,
  deletePod,
  deleteSet,
  inForce,
  podIsGone,
  podOf,
  podsRun,
  runningData,
  scale,
} from "./helpers.ts";
import { type PolicyName, policies, policyNames } from "./policies.ts";

function withPolicy(policy: PolicyName): readonly Scenario[] {
  const { scaled, deleted } = policies[policy];
  return [
    {
      title: `${policy}: with --cascade=orphan pods run on and claims stay, also when the pods are deleted by hand`,
      async run(cluster) {
        const data = await runningData(cluster, { policy });
        const pod = await podOf(cluster, 1);
        await deleteSet(cluster, "Orphan");
        await dataStays(cluster, [0, 1], data);
        expect((await podOf(cluster, 1))?.metadata.uid).toBe(pod?.metadata.uid);
        for (const ordinal of [0, 1]) await belongsTo(cluster, ordinal, []);

        for (const ordinal of [0, 1]) await deletePod(cluster, ordinal);
        for (const ordinal of [0, 1]) await podIsGone(cluster, ordinal);
        await dataStays(cluster, [0, 1], data);
      },
    },
    {
      title: `${policy}: a set that is created again takes over what --cascade=orphan left, under its policy`,
      async run(cluster) {
        const data = await runningData(cluster, { policy, replicas: 3 });
        const pod = await podOf(cluster, 2);
        await deleteSet(cluster, "Orphan");
        await createSet(cluster, { policy, replicas: 3 });
        await podsRun(cluster, 3);
        await inForce(cluster, policy);
        expect((await podOf(cluster, 2))?.metadata.uid).toBe(pod?.metadata.uid);
        await dataStays(cluster, [0, 1, 2], data);

        await scale(cluster, 2);
        await podIsGone(cluster, 2);
        if (scaled === "go") await dataGoes(cluster, [2], data.slice(2));
        await deleteSet(cluster);
        for (const ordinal of [0, 1]) await podIsGone(cluster, ordinal);
        if (deleted === "go") await dataGoes(cluster, [0, 1], data);
        else await dataStays(cluster, [0, 1], data);
      },
    },
  ];
}

/**
 * A set that is deleted without its dependents: `kubectl delete --cascade=orphan`, `--cascade=false` in the document.
 */
export const orphaning: readonly Scenario[] = policyNames.flatMap(withPolicy);
