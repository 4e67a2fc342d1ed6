import { hasFinalizer, isBeingDeleted } from "../../shared/kubernetes/finalizer.ts";
import { PersistentVolumeClaim, Pod, StatefulSet as Sets } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { graceKey, policyKey } from "../../shared/retention/policy.ts";
import { type Fate, retentionInForce, type StatefulSet } from "../../shared/retention/stateful-set.ts";
import { deleteAtKey, retentionFinalizer } from "../../shared/retention/traces.ts";
import { findEvent } from "./find-event.ts";
import { tourNamespace } from "./namespace.ts";
import { exampleSet } from "./objects.ts";
import type { Step } from "./play.ts";
import type { TourWorld } from "./world.ts";

/** PVC retention from end to end: claims go with replicas that are scaled away, are marked and saved, and stay. */
export function pvcRetentionTour({ client, clock, signal, installPolicy }: TourWorld): Step[] {
  const example = exampleSet(tourNamespace);
  const { name } = example.metadata;
  const set = () => client.get<StatefulSet>(Sets, tourNamespace, name);
  const claim = (ordinal: number) => client.get(PersistentVolumeClaim, tourNamespace, `data-${name}-${ordinal}`);
  const claims = (...ordinals: number[]) => Promise.all(ordinals.map(claim));
  const pod = (ordinal: number) => client.get<PodObject>(Pod, tourNamespace, `${name}-${ordinal}`);
  const isRunning = async (ordinal: number) => (await pod(ordinal))?.status?.phase === "Running";
  const change = (patch: object) => client.patch(Sets, tourNamespace, name, "merge", patch);
  const scale = (replicas: number) => change({ spec: { replicas } });
  const followed = async (fate: Fate) => {
    const field = retentionInForce((await set()) ?? (example as StatefulSet));
    return field?.whenDeleted === fate && field.whenScaled === fate;
  };
  const uids = new Map<number, string | undefined>();
  const remember = async (...ordinals: number[]) => {
    for (const ordinal of ordinals) uids.set(ordinal, (await claim(ordinal))?.metadata.uid);
  };
  const isAsBefore = (ordinal: number, found: KubernetesObject | undefined) =>
    found !== undefined && found.metadata.uid === uids.get(ordinal) && !isBeingDeleted(found);

  const made: Step = {
    title: "A set whose claims go with it",
    story: `StatefulSet ${name}, three replicas, annotated ${policyKey}=${example.metadata.annotations?.[policyKey]}. project writes that onto the set's own field, and bequeath makes the set's deletion wait for it.`,
    async act() {
      await client.create(Sets, example);
    },
    proofs: [
      {
        what: `pods ${name}-0, ${name}-1 and ${name}-2 are running`,
        check: async () => (await Promise.all([0, 1, 2].map(isRunning))).every(Boolean),
      },
      { what: "its persistentVolumeClaimRetentionPolicy is Delete for both", check: () => followed("Delete") },
      {
        what: `it carries ${retentionFinalizer}`,
        check: async () => hasFinalizer((await set()) ?? example, retentionFinalizer),
      },
    ],
  };

  const scaledDown: Step = {
    title: "One replica less",
    story: `Scaled down to two. The claim of ${name}-2 goes with its pod; release sees to it that it does not go before.`,
    async act() {
      await remember(0, 1);
      await scale(2);
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

  const marked: Step = {
    title: "A time of grace",
    story: `The set gets ${graceKey}=1h and is scaled down to one${installPolicy ? " in one write, which the admission policy makes safe" : ""}. grace marks the claim with the time of its deletion, instead of deleting it.`,
    async act() {
      const delay = { annotations: { [graceKey]: "1h" } };
      if (installPolicy) {
        await installPolicy("pvc-retention");
        await change({ metadata: delay, spec: { replicas: 1 } });
        return;
      }
      await change({ metadata: delay });
      // Kubernetes' own controller deletes by the field, which project changes first.
      while (!(await followed("Retain"))) await clock.sleep(50, signal);
      await scale(1);
    },
    proofs: [
      { what: `pod ${name}-1 is gone`, check: async () => !(await pod(1)) },
      { what: `claim data-${name}-1 is there, and marked`, check: async () => markOf(await claim(1)) },
      {
        what: "an Event on it says how to save it: DeletionScheduled",
        check: () => findEvent(client, `data-${name}-1`, "DeletionScheduled"),
      },
    ],
  };

  const saved: Step = {
    title: "Changed our mind",
    story: "Scaled up to two again: the claim is used again, with what is on it, and the mark goes.",
    async act() {
      await scale(2);
    },
    proofs: [
      { what: `pod ${name}-1 is running`, check: () => isRunning(1) },
      {
        what: `claim data-${name}-1 is the same one, without a mark`,
        check: async () => {
          const found = await claim(1);
          return isAsBefore(1, found) && !markOf(found);
        },
      },
    ],
  };

  const kept: Step = {
    title: "Retain, and then the set is deleted",
    story:
      "In one breath: the policy becomes Retain, and the set is deleted. A policy that keeps always holds when it was there before the deletion.",
    async act() {
      await change({ metadata: { annotations: { [policyKey]: "Retain", [graceKey]: null } } });
      await client.delete(Sets, tourNamespace, name);
    },
    proofs: [
      { what: "the set is gone", check: async () => !(await set()) },
      { what: "its pods are gone", check: async () => !(await pod(0)) && !(await pod(1)) },
      {
        what: `claims data-${name}-0 and data-${name}-1 are there, and belong to nobody`,
        check: async () =>
          (await claims(0, 1)).every(
            (found, ordinal) => isAsBefore(ordinal, found) && !found?.metadata.ownerReferences,
          ),
      },
    ],
  };

  return [made, scaledDown, marked, saved, kept];
}

type PodObject = KubernetesObject & { status?: { phase?: string } };

/** The mark as it is. */
function markOf(claim: KubernetesObject | undefined): string | undefined {
  const time = claim?.metadata.annotations?.[deleteAtKey];
  return time && `${deleteAtKey}: ${time}`;
}
