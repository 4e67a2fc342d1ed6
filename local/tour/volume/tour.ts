import { Volume } from "../../../functions/volume/lib/kinds.ts";
import type { PersistentVolumeObject } from "../../../functions/volume/lib/persistent-volume.ts";
import { phaseOf, type VolumeObject, volumeFinalizer } from "../../../functions/volume/lib/volume.ts";
import { hasFinalizer, isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { createPod } from "../create-pod.ts";
import { findEvent } from "../find-event.ts";
import { tourNamespace } from "../namespace.ts";
import { exampleObjects } from "../objects.ts";
import type { Proof, Step } from "../play.ts";
import type { Tour, TourWorld } from "../tour.ts";

/** Of the Volume, its PersistentVolume and its class: names of the whole cluster. */
const name = "holdfast-tour";

/** Volumes from end to end: made on a node, bound, used, kept while bound, and given back. */
export const tour: Tour = { title: "Volumes on Salt", ownCluster: true, steps };

function steps(world: TourWorld): Step[] {
  const { client, volumes } = world;
  if (!volumes) return [];
  const { node, storage, patience } = volumes;
  const volume = () => client.get<VolumeObject>(Volume, undefined, name);
  const persistentVolume = () => client.get<PersistentVolumeObject>(PersistentVolume, undefined, name);
  const example = exampleObjects(tourNamespace);
  const claim = () => client.get<Bindable>(PersistentVolumeClaim, tourNamespace, "data");
  const pod = () => client.get<PodObject>(Pod, tourNamespace, "writer");
  const lasting = (what: string, check: Proof["check"]): Proof => ({ what, check, patience });

  const made: Step = {
    title: "Storage on a node",
    text:
      `Volume ${name} asks for a sparse file of 64 MiB on node ${node}. add-finalizer puts the finalizer on ` +
      "it; run-job begins the Salt job that makes the file, reads the job's end, and makes a PersistentVolume of the " +
      "size and the path that it returns.",
    async act() {
      await client.create(StorageClass, storageClass);
      const spec = { nodeName: node, storageClassName: name, sparseLoopDevice: { size: "64Mi" } };
      const { apiVersion, kind } = Volume;
      await client.create(Volume, { apiVersion, kind, metadata: metadataOf(name), spec } as KubernetesObject);
    },
    proofs: [
      {
        what: `Volume ${name} carries ${volumeFinalizer}`,
        check: async () => hasFinalizer((await volume()) ?? storageClass, volumeFinalizer),
      },
      lasting(`PersistentVolume ${name} is there, of 64 MiB`, async () => {
        const { capacity, local } = ((await persistentVolume())?.spec ?? {}) as PublishedSpec;
        return capacity?.storage === "64Mi" && local?.path;
      }),
      lasting(`Volume ${name} is Available`, async () => phaseOf((await volume()) ?? {}) === "Available"),
      lasting("its device is known", async () => (await volume())?.status?.deviceName),
      ...(storage ? [{ what: "the node has one file more", check: async () => storage()[0] }] : []),
    ],
  };

  const used: Step = {
    title: "A claim, and a pod that uses it",
    text:
      `Claim data asks for the class ${name}, and pod writer for the claim. Kubernetes chooses the node where the ` +
      "Volume is, and binds.",
    async act() {
      const spec = {
        ...(example.claim.spec as object),
        storageClassName: name,
        resources: { requests: { storage: "32Mi" } },
      };
      await client.create(PersistentVolumeClaim, { ...example.claim, spec } as KubernetesObject);
      await createPod(world, example.pod);
    },
    proofs: [
      { what: `claim data is bound to ${name}`, check: async () => (await claim())?.spec?.volumeName === name },
      { what: `pod writer runs on node ${node}`, check: async () => isRunningOn(await pod(), node) },
    ],
  };

  const held: Step = {
    title: "Deleted, and kept",
    text:
      `kubectl delete volume ${name}. The data of claim data is on it: retire says who holds it, ` +
      "and nothing is done on the node.",
    async act() {
      await client.delete(Volume, undefined, name);
    },
    proofs: [
      {
        what: "an Event says that the deletion waits",
        check: () => findEvent(client, name, "DeletionPostponed", "default"),
      },
      {
        what: `PersistentVolume ${name} is bound as before`,
        check: async () => (await persistentVolume())?.status?.phase === "Bound",
      },
      {
        what: `Volume ${name} is to go, and still Available`,
        check: async () => isHeld(await volume()),
      },
    ],
  };

  const reclaimed: Step = {
    title: "The claim goes, and the node has its storage back",
    text:
      "Pod and claim are deleted. That is an event: run-job begins the Salt job that takes the file back, " +
      "and when it has ended, the finalizers leave: the PersistentVolume's first, then the Volume's.",
    async act() {
      await client.delete(Pod, tourNamespace, "writer");
      await client.delete(PersistentVolumeClaim, tourNamespace, "data");
    },
    proofs: [
      { what: "claim data is gone", check: async () => !(await claim()) },
      lasting(`PersistentVolume ${name} is gone`, async () => !(await persistentVolume())),
      lasting(`Volume ${name} is gone`, async () => !(await volume())),
      ...(storage ? [{ what: "the node has nothing of it", check: async () => storage().length === 0 }] : []),
    ],
  };

  return [made, used, held, reclaimed];
}

/**
 * Deletes what a tour that was interrupted has made on a node, while the functions still run; waits until it is gone.
 */
export async function endVolumeTour({ client, clock, volumes }: Pick<TourWorld, "client" | "clock" | "volumes">) {
  const end = clock.now() + (volumes?.patience ?? 0);
  await client.delete(Pod, tourNamespace, "writer", { gracePeriodSeconds: 0 });
  await client.delete(PersistentVolumeClaim, tourNamespace, "data");
  await client.delete(Volume, undefined, name);
  while ((await client.get(Volume, undefined, name)) && clock.now() < end) await clock.sleep(500);
}

interface PublishedSpec {
  readonly capacity?: { readonly storage?: string };
  readonly local?: { readonly path?: string };
}
type Bindable = KubernetesObject & { readonly spec?: { readonly volumeName?: string } };
type PodObject = KubernetesObject & {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: { readonly phase?: string };
};

const isRunningOn = (pod: PodObject | undefined, node: string) =>
  pod?.status?.phase === "Running" && pod.spec?.nodeName === node;

const isHeld = (volume: VolumeObject | undefined) =>
  volume !== undefined && isBeingDeleted(volume) && phaseOf(volume) === "Available";

const metadataOf = (name: string) => ({ name }) as KubernetesObject["metadata"];

const storageClass = {
  apiVersion: StorageClass.apiVersion,
  kind: StorageClass.kind,
  metadata: metadataOf(name),
  provisioner: "kubernetes.io/no-provisioner",
  reclaimPolicy: "Retain",
  // Without it a claim is bound before anybody knows where its pod can run.
  volumeBindingMode: "WaitForFirstConsumer",
  parameters: { fsType: "ext4" },
} as KubernetesObject;
