import { Namespace, PersistentVolume, PersistentVolumeClaim, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Claim, Volume } from "../../../shared/storage/volume.ts";
import { beginTour, tourNamespace } from "../namespace.ts";
import { exampleSet, named } from "../objects.ts";
import type { Step } from "../play.ts";
import type { Tour, TourWorld } from "../tour.ts";

const keepKey = "holdfast.dev/keep-volume-for";
const offerKey = "holdfast.dev/offer";

interface SetSpec {
  readonly persistentVolumeClaimRetentionPolicy?: { readonly whenScaled?: string };
}

/**
 * Undelete from end to end: a set is scaled down and up with its data; its namespace is deleted by accident, and comes
 * back.
 */
export const tour: Tour = { title: "Undelete", steps };

function steps({ client, clock, holds }: TourWorld): Step[] {
  const set = named(exampleSet(tourNamespace), { name: "db" });
  const ordinals = [0, 1, 2];
  const claim = (ordinal: number) => client.get<Claim>(PersistentVolumeClaim, tourNamespace, `data-db-${ordinal}`);
  const volumeOf = async (ordinal: number) => (await claim(ordinal))?.spec.volumeName;
  const volume = async (name = "") => (name ? client.get<Volume>(PersistentVolume, undefined, name) : undefined);
  const remembered = new Map<number, string>();
  const all = async (check: (volume: Volume | undefined) => boolean, among = ordinals) =>
    (await Promise.all(among.map((ordinal) => volume(remembered.get(ordinal))))).every(check);
  const policyIs = (policy: string) => (found: Volume | undefined) =>
    found?.spec.persistentVolumeReclaimPolicy === policy;
  const phaseIs = (phase: string) => (found: Volume | undefined) => found?.status?.phase === phase;
  const areBack = async () =>
    (await Promise.all(ordinals.map(volumeOf))).every((name, ordinal) => name === remembered.get(ordinal));
  const annotateNamespace = (annotations: Record<string, string | null>) =>
    client.patch(Namespace, undefined, tourNamespace, "merge", { metadata: { annotations } });
  const isDeletedWhenScaled = async () => {
    const spec = (await client.get<KubernetesObject>(StatefulSet, tourNamespace, "db"))?.spec as SetSpec | undefined;
    return spec?.persistentVolumeClaimRetentionPolicy?.whenScaled === "Delete";
  };

  const made: Step = {
    title: "Volumes that outlive their claims",
    text:
      `The namespace is annotated ${keepKey}=24h, and gets StatefulSet db of three replicas. ` +
      "retain sets the reclaim policy of each volume to Retain while its claim is there, and notes on it what it " +
      "was; sync-policy writes the policy of the set, by which claims go with their replicas, onto its field.",
    async act() {
      await annotateNamespace({ [keepKey]: "24h" });
      await client.create(StatefulSet, set);
    },
    proofs: [
      {
        what: "three claims have volumes, all of them of policy Retain",
        check: async () => {
          for (const ordinal of ordinals) remembered.set(ordinal, (await volumeOf(ordinal)) ?? "");
          return all(policyIs("Retain"));
        },
      },
      // Claims of replicas that are scaled away before stay.
      { what: "the set's persistentVolumeClaimRetentionPolicy has whenScaled: Delete", check: isDeletedWhenScaled },
    ],
  };

  const scaledDown: Step = {
    title: "Scaled down, and the claims go",
    text:
      "One replica is left. Kubernetes would have taken the data along; reserve offers the volumes to claims of the " +
      "same name.",
    async act() {
      await client.patch(StatefulSet, tourNamespace, "db", "merge", { spec: { replicas: 1 } });
    },
    proofs: [
      { what: "claims data-db-1 and data-db-2 are gone", check: async () => !(await claim(1)) && !(await claim(2)) },
      { what: "their volumes are Available, reserved for their names", check: () => all(phaseIs("Available"), [1, 2]) },
    ],
  };

  const scaledUp: Step = {
    title: "Scaled up again, with its data",
    text: "Three replicas: the set creates its claims again, and Kubernetes binds them to the volumes that they had.",
    async act() {
      await client.patch(StatefulSet, tourNamespace, "db", "merge", { spec: { replicas: 3 } });
    },
    proofs: [{ what: "each claim has the volume that it had", check: areBack }],
  };

  const accident: Step = {
    title: "The whole namespace, by accident",
    text:
      `kubectl delete namespace ${tourNamespace}. The volumes stay, and are not offered, ` +
      "because another namespace of that name may belong to other people.",
    async act() {
      await client.delete(Namespace, undefined, tourNamespace);
    },
    proofs: [
      { what: "the namespace is gone", check: async () => !(await client.get(Namespace, undefined, tourNamespace)) },
      { what: "its three volumes are there, Released", check: () => all(phaseIs("Released")) },
    ],
  };

  const back: Step = {
    title: "The manifests applied again, and the data is there",
    text:
      `The namespace is created again. An administrator annotates each volume with ${offerKey}=yes, because the new ` +
      "namespace could belong to other people. Then the set is applied again.",
    async act() {
      await beginTour({ client, clock, holds });
      await annotateNamespace({ [keepKey]: "24h" });
      for (const name of remembered.values())
        await client.patch(PersistentVolume, undefined, name, "merge", {
          metadata: { annotations: { [offerKey]: "yes" } },
        });
      while (!(await all(phaseIs("Available")))) await clock.sleep(50);
      await client.create(StatefulSet, set);
    },
    proofs: [
      { what: "each claim has the volume that it had", check: areBack },
      { what: "the volumes are noted for the new claims", check: () => all(policyIs("Retain")) },
    ],
  };

  const over: Step = {
    title: "Not kept any more",
    text:
      `The namespace loses the annotation ${keepKey}: each volume has the policy again that it had, ` +
      "and goes with its claim.",
    async act() {
      await annotateNamespace({ [keepKey]: null });
    },
    proofs: [{ what: "the policy of every volume is Delete again", check: () => all(policyIs("Delete")) }],
  };

  return [made, scaledDown, scaledUp, accident, back, over];
}
