import { policyKey } from "../../../functions/pvc-retention/lib/policy.ts";
import { type Fate, retentionOf, type StatefulSet } from "../../../functions/pvc-retention/lib/stateful-set.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { PersistentVolumeClaim, Pod, StatefulSet as Sets } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readProgress } from "../../../shared/progress.ts";
import { tourNamespace } from "../namespace.ts";
import { exampleSet } from "../objects.ts";
import type { Step } from "../play.ts";
import type { Tour, TourWorld } from "../tour.ts";

const own = "pvc-retention/set-owner";

/**
 * PVC retention from end to end: claims go with replicas that are scaled away, stay, and go with the set, by one
 * annotation.
 */
export const tour: Tour = { title: "PVC retention for StatefulSets", steps };

function steps({ client, clock, signal, installPolicy }: TourWorld): Step[] {
  const example = exampleSet(tourNamespace);
  const { name } = example.metadata;
  const set = () => client.get<StatefulSet>(Sets, tourNamespace, name);
  const claim = (ordinal: number) => client.get(PersistentVolumeClaim, tourNamespace, `data-${name}-${ordinal}`);
  const claims = (...ordinals: number[]) => Promise.all(ordinals.map(claim));
  const pod = (ordinal: number) => client.get<PodObject>(Pod, tourNamespace, `${name}-${ordinal}`);
  const isRunning = async (ordinal: number) => (await pod(ordinal))?.status?.phase === "Running";
  const change = (patch: object) => client.patch(Sets, tourNamespace, name, "merge", patch);
  const choose = (policy: string, spec: object = {}) =>
    change({ metadata: { annotations: { [policyKey]: policy } }, spec });
  const fieldIs = async (whenDeleted: Fate, whenScaled: Fate) => {
    const field = retentionOf((await set()) ?? (example as StatefulSet));
    return field.whenDeleted === whenDeleted && field.whenScaled === whenScaled;
  };
  const uids = new Map<number, string | undefined>();
  const remember = async (...ordinals: number[]) => {
    for (const ordinal of ordinals) uids.set(ordinal, (await claim(ordinal))?.metadata.uid);
  };
  const isAsBefore = (ordinal: number, found: KubernetesObject | undefined) =>
    found !== undefined && found.metadata.uid === uids.get(ordinal) && !isBeingDeleted(found);

  const made: Step = {
    title: "A set whose claims go with it",
    text:
      `StatefulSet ${name}, three replicas, annotated ${policyKey}=${example.metadata.annotations?.[policyKey]}. ` +
      "sync-policy writes that onto the set's own field, which Kubernetes obeys, " +
      "and set-owner notes on each claim that the set uses it.",
    async act() {
      await client.create(Sets, example);
    },
    proofs: [
      {
        what: `pods ${name}-0, ${name}-1 and ${name}-2 are running`,
        check: async () => (await Promise.all([0, 1, 2].map(isRunning))).every(Boolean),
      },
      { what: "its persistentVolumeClaimRetentionPolicy is Delete for both", check: () => fieldIs("Delete", "Delete") },
      {
        what: "each claim says that this very set uses it",
        check: async () => (await claims(0, 1, 2)).every((found) => found && readProgress(found, own)?.step === "used"),
      },
    ],
  };

  const scaledDown: Step = {
    title: "One replica less",
    text:
      `Scaled down to two. Kubernetes' own controller gives the claim of ${name}-2 to its pod, ` +
      "and the garbage collector takes it; release sees to it that it does not go before the pod.",
    async act() {
      await remember(0, 1);
      await change({ spec: { replicas: 2 } });
    },
    proofs: [
      { what: `pod ${name}-2 is gone`, check: async () => !(await pod(2)) },
      { what: `claim data-${name}-2 is gone`, check: async () => !(await claim(2)) },
      {
        what: "the other two claims are there",
        check: async () => (await claims(0, 1)).every((found, ordinal) => isAsBefore(ordinal, found)),
      },
    ],
  };

  const kept: Step = {
    title: "Changed our mind",
    text: `The policy becomes Retain, and the set is scaled down to one ${
      installPolicy
        ? "in the same write, which the admission policy makes safe"
        : "once sync-policy has written that onto the field"
    }.`,
    async act() {
      if (installPolicy) {
        await installPolicy("pvc-retention");
        await choose("Retain", { replicas: 1 });
        return;
      }
      await choose("Retain");
      // Kubernetes' own controller deletes by the field, which sync-policy changes first.
      while (!(await fieldIs("Retain", "Retain"))) await clock.sleep(50, signal);
      await change({ spec: { replicas: 1 } });
    },
    proofs: [
      { what: `pod ${name}-1 is gone`, check: async () => !(await pod(1)) },
      { what: `claim data-${name}-1 is there, and has no owner`, check: async () => isFree(1, await claim(1)) },
    ],
  };

  const tied: Step = {
    title: "It is to go with the set after all",
    text:
      "The policy becomes DeleteOnStatefulSetDeletionOnly. Kubernetes' own controller looks after the claims of pods " +
      `that are there; set-owner ties claim data-${name}-1, which has none, to the set, because the set has used it.`,
    async act() {
      await choose("DeleteOnStatefulSetDeletionOnly");
    },
    proofs: [
      {
        what: `claims data-${name}-0 and data-${name}-1 belong to the set`,
        check: async () => {
          const uid = (await set())?.metadata.uid;
          return (await claims(0, 1)).every((found) =>
            found?.metadata.ownerReferences?.some((owner) => owner.uid === uid),
          );
        },
      },
    ],
  };

  const gone: Step = {
    title: "The set is deleted",
    text: "And its claims with it, by Kubernetes' garbage collector: nothing of ours deletes a claim.",
    async act() {
      await client.delete(Sets, tourNamespace, name);
    },
    proofs: [
      { what: "the set is gone", check: async () => !(await set()) },
      {
        what: `claims data-${name}-0 and data-${name}-1 are gone`,
        check: async () => (await claims(0, 1)).every((found) => found === undefined),
      },
    ],
  };

  function isFree(ordinal: number, found: KubernetesObject | undefined): boolean {
    return isAsBefore(ordinal, found) && !found?.metadata.ownerReferences?.length;
  }

  return [made, scaledDown, kept, tied, gone];
}

type PodObject = KubernetesObject & { status?: { phase?: string } };
