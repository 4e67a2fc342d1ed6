import { StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { World } from "../../worlds/world.ts";
import type { Story } from "../story.ts";
import { guarded } from "./settings.ts";
import {
  annotateSet,
  claimOf,
  createSet,
  dataOf,
  dataStays,
  graceKey,
  inForce,
  markKey,
  podIsGone,
  podsRun,
  policyKey,
  runningSet,
  scale,
  set,
  setOf,
} from "./words.ts";

const policy = "DeleteOnScaledownAndStatefulSetDeletion";

const fieldOf = async (world: World, name: string) =>
  (await setOf(world, name)).spec.persistentVolumeClaimRetentionPolicy?.whenScaled;

/** A real API server learns of admission policies by watching them: waits until this one changes a set as it is written. */
async function isAdmitted(world: World): Promise<void> {
  const name = "probe";
  await createSet(world, { name, replicas: 0, policy });
  await world.eventually("the admission policy of PVC retention is in force", async () => {
    if ((await fieldOf(world, name)) !== "Delete") return false;
    await annotateSet(world, { [policyKey]: "Retain" }, name);
    const isKept = (await fieldOf(world, name)) === "Retain";
    await annotateSet(world, { [policyKey]: policy }, name);
    return isKept;
  });
}

/** One write: a policy that keeps, and only one replica. */
async function keepAndScale({ admin, namespace }: World, annotations: Record<string, string>): Promise<void> {
  await admin.patch(StatefulSet, namespace, set, "merge", { metadata: { annotations }, spec: { replicas: 1 } });
}

/** A change of mind and a scale-down in one write, where the admission policy of PVC retention is installed. */
export const racing: readonly Story[] = [
  {
    title: "a policy that keeps and fewer replicas may come in one write, where the admission policy is installed",
    settings: [guarded],
    async tell(world) {
      await runningSet(world, { policy, replicas: 3 });
      await isAdmitted(world);
      const data = await dataOf(world, [0, 1, 2]);
      await keepAndScale(world, { [policyKey]: "Retain" });
      await podIsGone(world, 1);
      await podIsGone(world, 2);
      await inForce(world, "Retain");
      await dataStays(world, [0, 1, 2], data);
      await scale(world, 3);
      await podsRun(world, 3);
      await dataStays(world, [0, 1, 2], data);
    },
  },
  {
    title: "a delay and fewer replicas may come in one write, where the admission policy is installed",
    settings: [guarded],
    async tell(world) {
      await runningSet(world, { policy, replicas: 2 });
      await isAdmitted(world);
      const data = await dataOf(world, [0, 1]);
      await keepAndScale(world, { [graceKey]: "1h" });
      await podIsGone(world, 1);
      await world.eventually("the claim is marked", async () => {
        const claim = await claimOf(world, 1);
        return claim?.metadata.annotations?.[markKey] !== undefined;
      });
      await dataStays(world, [0, 1], data);
    },
  },
];
