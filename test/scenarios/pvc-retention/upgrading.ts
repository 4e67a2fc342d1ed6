import { expect } from "vitest";
import { PersistentVolumeClaim, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { World } from "../../worlds/world.ts";
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
  runningSet,
  scale,
  set,
  setOf,
} from "./helpers.ts";
import { both, onScaledown, type PolicyName, policies, policyNames } from "./policies.ts";
import { byDefault } from "./settings.ts";

/** They find what there is by the sweep, event by event; where it comes by itself, it is left to it. */
async function sweeps(world: World): Promise<void> {
  if (world.setting.bySweepsAlone) return;
  for (const rule of ["sync-policy", "set-owner", "set-owner"])
    await world.instance(`pvc-retention/${rule}`)({ change: "sweep", kind: StatefulSet, name: set });
}

/** Nothing is left to keep these claims but PVC protection. */
async function claimsAreGoing(world: World, ordinals: readonly number[]): Promise<void> {
  for (const ordinal of ordinals)
    await world.eventually(`claim ${claimName(ordinal)} is being deleted`, async () => {
      const claim = await claimOf(world, ordinal);
      return !claim || claim.metadata.deletionTimestamp;
    });
}

/** PVC protection has missed the same events: it sees claims that are being deleted by the sweep, too. */
async function protectionSweeps(world: World, ordinals: readonly number[]): Promise<void> {
  await claimsAreGoing(world, ordinals);
  if (world.setting.bySweepsAlone) return;
  // Each as often as it takes: the first sweep may come before the pod that used it is out of sight.
  for (const ordinal of ordinals) {
    const hand = { change: "sweep", kind: PersistentVolumeClaim, name: claimName(ordinal) } as const;
    await world.eventually(`claim ${claimName(ordinal)} is gone`, async () => {
      if (!(await claimOf(world, ordinal))) return true;
      await world.instance("pvc-protection/release")(hand);
      return false;
    });
  }
}

function upgraded(policy: PolicyName): Scenario {
  const { scaled, deleted } = policies[policy];
  return {
    title: `upgrade: ${policy} on a set from before the functions counts from then on, and no claim goes by itself`,
    async run(world) {
      const install = await world.absent();
      await createSet(world, { policy, replicas: 3 });
      await podsRun(world, 3);
      const data = await dataOf(world, [0, 1, 2]);
      await dataStays(world, [0, 1, 2], data);
      await install();
      await sweeps(world);
      await inForce(world, policy);
      await dataStays(world, [0, 1, 2], data);

      await scale(world, 2);
      await podIsGone(world, 2);
      if (scaled === "go") await dataGoes(world, [2], data.slice(2));
      await deleteSet(world);
      if (deleted === "go") await dataGoes(world, [0, 1], data);
      else await dataStays(world, [0, 1], data);
    },
  };
}

function downgraded(policy: PolicyName): Scenario {
  const { deleted } = policies[policy];
  return {
    title: `downgrade: without the functions claims ${deleted} under ${policy}, by what was written before`,
    async run(world) {
      await runningSet(world, { policy });
      const data = await dataOf(world, [0, 1]);
      const install = await world.absent();
      await deleteSet(world);
      for (const ordinal of [0, 1]) await podIsGone(world, ordinal);
      if (deleted === "go") {
        await claimsAreGoing(world, [0, 1]);
        await install();
        await protectionSweeps(world, [0, 1]);
        await dataGoes(world, [0, 1], data);
      } else await dataStays(world, [0, 1], data);
    },
  };
}

const all: readonly Scenario[] = [
  ...policyNames.map(upgraded),
  ...policyNames.map(downgraded),
  {
    title: "off and on again: a replica that was scaled away meanwhile loses its claim afterwards",
    async run(world) {
      await runningSet(world, { policy: both });
      const data = await dataOf(world, [0, 1]);
      const install = await world.absent();
      await scale(world, 1);
      await podIsGone(world, 1);
      await install();
      await sweeps(world);
      await protectionSweeps(world, [1]);
      await dataGoes(world, [1], data.slice(1));
      await dataStays(world, [0], data);
    },
  },
  {
    title: "off and on again: a policy that was changed meanwhile is in force afterwards",
    async run(world) {
      await runningSet(world, { policy: "Retain" });
      const data = await dataOf(world, [0, 1]);
      const install = await world.absent();
      await annotateSet(world, { [policyKey]: onScaledown });
      await scale(world, 1);
      await podIsGone(world, 1);
      await dataStays(world, [0, 1], data);
      await install();
      await sweeps(world);
      await inForce(world, onScaledown);
      // Nobody knows any more of what it was left: it was scaled away while the set kept its claims.
      await dataStays(world, [0, 1], data);
      await scale(world, 0);
      await dataGoes(world, [0], data);
      await dataStays(world, [1], data.slice(1));
    },
  },
  {
    title: "off and on again, with nothing going on: everything is as it was",
    async run(world) {
      await runningSet(world, { policy: both });
      const data = await dataOf(world, [0, 1]);
      const before = (await setOf(world)).metadata.resourceVersion;
      await (await world.absent())();
      await sweeps(world);
      await world.rest();
      await dataStays(world, [0, 1], data);
      expect((await setOf(world)).metadata.resourceVersion).toBe(before);
      await changePolicy(world, onScaledown);
    },
  },
];

/** The functions come and go; what was there before them, and what happens without them. */
export const upgrading: readonly Scenario[] = all.map((scenario) => ({
  ...scenario,
  absent: true,
  settings: [byDefault],
}));
