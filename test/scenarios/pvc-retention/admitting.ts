import { expect } from "vitest";
import { StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { World } from "../../worlds/world.ts";
import type { Scenario } from "../scenario.ts";
import {
  annotateNamespace,
  annotateSet,
  belongsTo,
  createSet,
  dataOf,
  dataStays,
  deleteSet,
  fieldOf,
  inForce,
  isForgotten,
  podIsGone,
  podsRun,
  policyKey,
  runningSet,
  scale,
  set,
  setOf,
} from "./helpers.ts";
import { both, onDeletion, onScaledown } from "./policies.ts";
import { admitted } from "./settings.ts";

/**
 * A real API server learns of admission policies by watching them: waits until this one changes a set as it is created.
 */
async function isAdmitted(world: World): Promise<void> {
  const spec = { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Delete" } };
  let probes = 0;
  await world.eventually("the admission policy of PVC retention is in force", async () => {
    const name = `probe-${++probes}`;
    await createSet(world, { name, replicas: 0, policy: "Retain", spec });
    return (await fieldOf(world, name)) === "Retain/Retain";
  });
}

/** One write: another policy, and only one replica. */
async function changeAndScale({ admin, namespace }: World, policy: string | null): Promise<void> {
  const metadata = { annotations: { [policyKey]: policy } };
  await admin.patch(StatefulSet, namespace, set, "merge", { metadata, spec: { replicas: 1 } });
}

const scenarios: readonly Scenario[] = [
  ...["Retain", "no such policy", onDeletion, null].map(
    (policy): Scenario => ({
      title: `fewer replicas and ${policy ?? "no policy any more"} may come in one write, and no claim goes`,
      async run(world) {
        await isAdmitted(world);
        await runningSet(world, { policy: both, replicas: 3 });
        const data = await dataOf(world, [0, 1, 2]);
        await changeAndScale(world, policy);
        await podIsGone(world, 1);
        await podIsGone(world, 2);
        await dataStays(world, [0, 1, 2], data);
        await scale(world, 3);
        await podsRun(world, 3);
        await dataStays(world, [0, 1, 2], data);
        if (policy === null) await isForgotten(world);
      },
    }),
  ),
  {
    title: "a policy that is set to Retain holds for a deletion right behind it",
    async run(world) {
      await isAdmitted(world);
      await runningSet(world, { policy: onScaledown });
      const data = await dataOf(world, [0, 1]);
      await annotateSet(world, { [policyKey]: "Retain" });
      await deleteSet(world);
      await dataStays(world, [0, 1], data);
      for (const ordinal of [0, 1]) await belongsTo(world, ordinal, []);
    },
  },
  {
    title: "what a namespace keeps by default, its sets keep in their next write",
    async run(world) {
      await isAdmitted(world);
      await annotateNamespace(world, { [policyKey]: both });
      await runningSet(world);
      await inForce(world, both);
      const data = await dataOf(world, [0, 1]);
      await annotateNamespace(world, { [policyKey]: "Retain" });
      // The policy sees the namespace by a watch of the API server's own: a moment later, and still before project
      // where that is away.
      await world.eventually("the field keeps", async () => {
        await annotateSet(world, { "scenario.example/touched": "admitting" });
        return (await fieldOf(world)) === "Retain/Retain";
      });
      await scale(world, 1);
      await podIsGone(world, 1);
      await dataStays(world, [0, 1], data);
    },
  },
  {
    title: "the admission policy and project never pull in different directions",
    async run(world) {
      await isAdmitted(world);
      await runningSet(world, { policy: both });
      for (const policy of [onScaledown, "Retain", onDeletion, both, onScaledown] as const) {
        await annotateSet(world, { [policyKey]: policy });
        await inForce(world, policy);
        const before = (await setOf(world)).metadata.resourceVersion;
        await world.rest();
        expect((await setOf(world)).metadata.resourceVersion).toBe(before);
      }
      await annotateSet(world, { [policyKey]: null });
      await isForgotten(world);
      await world.rest();
      expect(await fieldOf(world)).toBe("Retain/Retain");
    },
  },
];

/** What holds in the very write, where the admission policy is installed. */
export const admitting: readonly Scenario[] = scenarios.map((scenario) => ({ ...scenario, settings: [admitted] }));
