import { expect } from "vitest";
import { PersistentVolumeClaim, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { Cluster } from "../../harness/cluster.ts";
import type { Scenario } from "../scenario.ts";
import {
  annotateSet,
  changePolicy,
  claimName,
  claimOf,
  createSet,
  dataGoes,
  dataOf,
  dataStays,
  deleteSet,
  inForce,
  podIsGone,
  podsRun,
  policyKey,
  runningData,
  scale,
  set,
  setOf,
} from "./helpers.ts";
import { both, onScaledown, type PolicyName, policies, policyNames } from "./policies.ts";
import { byDefault } from "./settings.ts";

/** They find what there is by the sweep, event by event; where it comes by itself, it is left to it. */
async function sweeps(cluster: Cluster): Promise<void> {
  if (cluster.setting.bySweepsAlone) return;
  for (const rule of ["sync-policy", "set-owner", "set-owner"])
    await cluster.instance(`pvc-retention/${rule}`)({ change: "sweep", kind: StatefulSet, name: set });
}

/** Nothing is left to keep these claims but PVC protection. */
async function claimsAreGoing(cluster: Cluster, ordinals: readonly number[]): Promise<void> {
  for (const ordinal of ordinals)
    await cluster.eventually(`claim ${claimName(ordinal)} is being deleted`, async () => {
      const claim = await claimOf(cluster, ordinal);
      return !claim || claim.metadata.deletionTimestamp;
    });
}

/** PVC protection has missed the same events: it sees claims that are being deleted by the sweep, too. */
async function protectionSweeps(cluster: Cluster, ordinals: readonly number[]): Promise<void> {
  await claimsAreGoing(cluster, ordinals);
  if (cluster.setting.bySweepsAlone) return;
  // Each as often as it takes: the first sweep may come before the pod that used it is out of sight.
  for (const ordinal of ordinals) {
    const hand = { change: "sweep", kind: PersistentVolumeClaim, name: claimName(ordinal) } as const;
    await cluster.eventually(`claim ${claimName(ordinal)} is gone`, async () => {
      if (!(await claimOf(cluster, ordinal))) return true;
      await cluster.instance("pvc-protection/release")(hand);
      return false;
    });
  }
}

function upgraded(policy: PolicyName): Scenario {
  const { scaled, deleted } = policies[policy];
  return {
    title: `upgrade: ${policy} on an existing set is in force from then on, and deletes no claim at once`,
    async run(cluster) {
      const install = await cluster.absent();
      await createSet(cluster, { policy, replicas: 3 });
      await podsRun(cluster, 3);
      const data = await dataOf(cluster, [0, 1, 2]);
      await dataStays(cluster, [0, 1, 2], data);
      await install();
      await sweeps(cluster);
      await inForce(cluster, policy);
      await dataStays(cluster, [0, 1, 2], data);

      await scale(cluster, 2);
      await podIsGone(cluster, 2);
      if (scaled === "go") await dataGoes(cluster, [2], data.slice(2));
      await deleteSet(cluster);
      if (deleted === "go") await dataGoes(cluster, [0, 1], data);
      else await dataStays(cluster, [0, 1], data);
    },
  };
}

function downgraded(policy: PolicyName): Scenario {
  const { deleted } = policies[policy];
  return {
    title: `downgrade: without the functions claims ${deleted} under ${policy}, by the field as it was written before`,
    async run(cluster) {
      const data = await runningData(cluster, { policy });
      const install = await cluster.absent();
      await deleteSet(cluster);
      for (const ordinal of [0, 1]) await podIsGone(cluster, ordinal);
      if (deleted === "go") {
        await claimsAreGoing(cluster, [0, 1]);
        await install();
        await protectionSweeps(cluster, [0, 1]);
        await dataGoes(cluster, [0, 1], data);
      } else await dataStays(cluster, [0, 1], data);
    },
  };
}

const all: readonly Scenario[] = [
  ...policyNames.map(upgraded),
  ...policyNames.map(downgraded),
  {
    title: "off and on again: a replica that was scaled away meanwhile loses its claim afterwards",
    async run(cluster) {
      const data = await runningData(cluster, { policy: both });
      const install = await cluster.absent();
      await scale(cluster, 1);
      await podIsGone(cluster, 1);
      await install();
      await sweeps(cluster);
      await protectionSweeps(cluster, [1]);
      await dataGoes(cluster, [1], data.slice(1));
      await dataStays(cluster, [0], data);
    },
  },
  {
    title: "off and on again: a policy that was changed meanwhile is in force afterwards",
    async run(cluster) {
      const data = await runningData(cluster, { policy: "Retain" });
      const install = await cluster.absent();
      await annotateSet(cluster, { [policyKey]: onScaledown });
      await scale(cluster, 1);
      await podIsGone(cluster, 1);
      await dataStays(cluster, [0, 1], data);
      await install();
      await sweeps(cluster);
      await inForce(cluster, onScaledown);
      // It is not known any more of what it was left: it was scaled away while the set kept its claims.
      await dataStays(cluster, [0, 1], data);
      await scale(cluster, 0);
      await dataGoes(cluster, [0], data);
      await dataStays(cluster, [1], data.slice(1));
    },
  },
  {
    title: "off and on again, with nothing going on: everything is as it was",
    async run(cluster) {
      const data = await runningData(cluster, { policy: both });
      const before = (await setOf(cluster)).metadata.resourceVersion;
      await (await cluster.absent())();
      await sweeps(cluster);
      await cluster.rest();
      await dataStays(cluster, [0, 1], data);
      expect((await setOf(cluster)).metadata.resourceVersion).toBe(before);
      await changePolicy(cluster, onScaledown);
    },
  },
];

/** The functions come and go; what was there before them, and what happens without them. */
export const upgrading: readonly Scenario[] = all.map((scenario) => ({
  ...scenario,
  absent: true,
  settings: [byDefault],
}));
