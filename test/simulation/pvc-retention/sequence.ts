import type { Random } from "../../../eventing/random.ts";
import { StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { pick } from "../../harness/faults/api.ts";
import { streamsOf } from "../../harness/simulated/streams.ts";
import type { Truth } from "../invariants/invariant.ts";
import { type Lane, patiently, type Sequence, type Step, sequenceOf } from "../sequence.ts";
import type { User } from "../user.ts";
import { createSet, deleteSet, policies, runs, scale, setIsGone, setPolicy, withSets } from "./scenarios/sets.ts";
import { byDefault } from "./settings.ts";

type Policy = (typeof policies)[number];

interface SetLike extends KubernetesObject {
  readonly spec: {
    readonly replicas: number;
    readonly persistentVolumeClaimRetentionPolicy?: { readonly whenDeleted: string; readonly whenScaled: string };
  };
}

/** What each policy means, in definitions of the simulation's own. */
const fields: Readonly<Record<Policy, readonly [whenDeleted: string, whenScaled: string]>> = {
  Retain: ["Retain", "Retain"],
  DeleteOnStatefulSetDeletionOnly: ["Delete", "Retain"],
  DeleteOnScaledownOnly: ["Retain", "Delete"],
  DeleteOnScaledownAndStatefulSetDeletion: ["Delete", "Delete"],
};

/** A user with one set, whose policy changes, and which is scaled, deleted and created again. */
function laneOfSet(name: string, random: Random): Lane {
  const steps: Step[] = [];
  const most = 3;
  for (let round = random.below(2); round >= 0; round--) {
    let policy: Policy = pick(random, policies);
    const begins = policy;
    steps.push((user) => createSet(user, name, { replicas: most, policy: begins }));
    steps.push((user) => isSettled(user, name, most, begins));
    for (let change = random.below(3); change >= 0; change--) {
      const [next, replicas] = [pick(random, policies), random.below(most)];
      steps.push((user) => setPolicy(user, name, next));
      steps.push((user) => isSettled(user, name, most, next));
      steps.push((user) => scale(user, name, replicas));
      steps.push((user) => isSettled(user, name, replicas, next));
      steps.push((user) => scale(user, name, most));
      steps.push((user) => isSettled(user, name, most, next));
      policy = next;
    }
    if (round === 0 && random.below(2) === 0) break;
    const last = policy;
    steps.push((user) => deleteSet(user, name, "Background"));
    steps.push(async (user) => {
      await patiently(user, setIsGone(name));
      await patiently(user, async () => (await user.pods()).every(({ metadata }) => !isOf(metadata.name, name)));
      if (fields[last][0] === "Delete") await patiently(user, async () => (await claimsOf(user, name)).length === 0);
    });
  }
  const needs = [`statefulsets/${name}`, ...[0, 1, 2].map((pod) => `persistentvolumeclaims/data-${name}-${pod}`)];
  return { name: `set ${name}`, needs, steps };
}

const isOf = (pod: string, set: string) => pod.startsWith(`${set}-`);
const claimsOf = async (user: User, set: string) =>
  (await user.claims()).filter(({ metadata }) => isOf(metadata.name, `data-${set}`));

/** Waits until pods and claims are as they are to be, and the policy is in force on each of them. */
async function isSettled(user: User, name: string, replicas: number, policy: Policy): Promise<void> {
  const [whenDeleted, whenScaled] = fields[policy];
  await patiently(user, async () => {
    const set = (await user.list(StatefulSet)).find(({ metadata }) => metadata.name === name) as SetLike | undefined;
    const field = set?.spec.persistentVolumeClaimRetentionPolicy;
    if (!set || field?.whenDeleted !== whenDeleted || field.whenScaled !== whenScaled) return false;
    const claims = await claimsOf(user, name);
    const isTied = ({ metadata }: KubernetesObject) =>
      (metadata.ownerReferences ?? []).some(({ uid }) => uid === set.metadata.uid) === (whenDeleted === "Delete");
    return (
      (await runs(name, replicas)(user)) &&
      claims.every((claim) => isTied(claim) && !claim.metadata.deletionTimestamp) &&
      claims.length >= replicas &&
      (whenScaled === "Retain" || claims.length === replicas)
    );
  });
  // Longer than a write of a function can be under way that was right when it was sent.
  await user.sleep(6_000);
}

/** Two users, each with a set. */
export function sequence(number: number): Sequence {
  const random = streamsOf(number)("sequence of pvc-retention");
  const lanes = ["web", "db"].map((name) => laneOfSet(name, random));
  return sequenceOf({ ...withSets, system: "pvc-retention", setting: byDefault, lanes }, random);
}

/** Sets and their claims, each with how many there have been of its name. */
export const end = ({ history, changes }: Truth): readonly string[] => {
  const sets = (history.live("StatefulSet") as readonly SetLike[]).map(({ metadata: { name }, spec }) => {
    const { whenDeleted, whenScaled } = spec.persistentVolumeClaimRetentionPolicy ?? {};
    return `StatefulSet ${name} has ${spec.replicas} replicas and ${whenDeleted}/${whenScaled}`;
  });
  const claims = history.live("PersistentVolumeClaim").map(({ metadata: { name, ownerReferences = [] } }) => {
    const created = changes.filter(({ object, before }) => !before && object.metadata.name === name).length;
    const owners = ownerReferences.map((owner) => `${owner.kind} ${owner.name}`).join(" and ");
    return `claim ${name} is number ${created}, owned by ${owners || "nothing"}`;
  });
  return [...sets, ...claims].toSorted();
};
