import { expect } from "vitest";
import { Event, PersistentVolumeClaim, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject, ObjectMeta } from "../../../shared/kubernetes/object.ts";
import type { Cluster } from "../../harness/cluster.ts";
import { Namespace, PersistentVolume, StorageClass } from "../../harness/kinds.ts";
import { claim, manifest, persistentVolume, statefulSet } from "../../harness/manifest.ts";

// Unless they say otherwise, these are about claim `data` and its volume.

export const keepKey = "holdfast.dev/keep-volume-for";
export const reclaimAtKey = "holdfast.dev/reclaim-at";
export const offerKey = "holdfast.dev/offer";
export const successorKey = "holdfast.dev/successor-of";
export const guard = "holdfast.dev/undelete";
export const noteKey = "holdfast.dev/undelete.note";

export interface LiveVolume extends KubernetesObject {
  spec: {
    claimRef?: { namespace: string; name: string; uid?: string };
    persistentVolumeReclaimPolicy: string;
    storageClassName?: string;
    [field: string]: unknown;
  };
  status?: { phase?: string };
}

export interface LiveClaim extends KubernetesObject {
  spec: { volumeName?: string };
  status?: { phase?: string };
}

interface ClaimOptions {
  readonly name?: string;
  readonly keep?: string;
  readonly spec?: Record<string, unknown>;
  readonly metadata?: Partial<ObjectMeta>;
}

/** Creates a claim of the class `standard`; it is kept for a day unless `keep` says otherwise. */
export function createClaim(
  cluster: Cluster,
  { name = "data", keep = "24h", spec = {}, metadata = {} }: ClaimOptions = {},
) {
  const annotations = { ...metadata.annotations, ...(keep ? { [keepKey]: keep } : {}) };
  const object = claim(
    { ...metadata, namespace: cluster.namespace, name, annotations },
    { storageClassName: "standard", ...spec },
  );
  return cluster.admin.create(PersistentVolumeClaim, object);
}

export function claimOf({ admin, namespace }: Cluster, name = "data"): Promise<LiveClaim | undefined> {
  return admin.get<LiveClaim>(PersistentVolumeClaim, namespace, name);
}

export async function volumeOf({ admin }: Cluster, name: string): Promise<LiveVolume> {
  const volume = await admin.get<LiveVolume>(PersistentVolume, undefined, name);
  if (!volume) throw new Error(`There is no volume ${name}.`);
  return volume;
}

/** The volume of a claim, as soon as it is bound. */
export function boundVolume(cluster: Cluster, name = "data"): Promise<string> {
  return cluster.eventually(`claim ${name} is bound`, async () => {
    const live = await claimOf(cluster, name);
    return live?.status?.phase === "Bound" && live.spec.volumeName;
  }) as Promise<string>;
}

/** Creates a claim; returns the volume that it gets. */
export async function bindClaim(cluster: Cluster, options: ClaimOptions = {}): Promise<string> {
  await createClaim(cluster, options);
  return boundVolume(cluster, options.name);
}

/** What is noted on a volume. */
export function noteOn({ metadata }: KubernetesObject): { step?: string; next?: string; [field: string]: unknown } {
  return JSON.parse(metadata.annotations?.[noteKey] ?? "{}");
}

/** Waits until a volume is noted with this step, and returns it. */
export function isNoted(cluster: Cluster, volume: string, step: string): Promise<LiveVolume> {
  return cluster.eventually(`volume ${volume} is ${step}`, async () => {
    const live = await volumeOf(cluster, volume);
    return noteOn(live).step === step && live;
  }) as Promise<LiveVolume>;
}

/** A claim with a volume that will be kept; returns the volume's name. */
export async function keptClaim(cluster: Cluster, options: ClaimOptions = {}): Promise<string> {
  const volume = await bindClaim(cluster, options);
  const { spec } = await isNoted(cluster, volume, "retained");
  expect(spec.persistentVolumeReclaimPolicy).toBe("Retain");
  return volume;
}

/** Deletes a claim, and waits until it is gone. */
export async function deleteClaim(cluster: Cluster, name = "data"): Promise<void> {
  await cluster.admin.delete(PersistentVolumeClaim, cluster.namespace, name);
  await cluster.eventually(`claim ${name} is gone`, async () => !(await claimOf(cluster, name)));
}

/** Waits until a volume is offered: Available, and reserved for its claim's name. */
export async function isOffered(cluster: Cluster, volume: string): Promise<LiveVolume> {
  await isNoted(cluster, volume, "offered");
  return cluster.eventually(`volume ${volume} is Available`, async () => {
    const live = await volumeOf(cluster, volume);
    return live.status?.phase === "Available" && live.spec.claimRef?.uid === undefined && live;
  }) as Promise<LiveVolume>;
}

/** A volume whose claim was deleted, and which is offered. */
export async function offeredVolume(cluster: Cluster, options: ClaimOptions = {}): Promise<string> {
  const volume = await keptClaim(cluster, options);
  await deleteClaim(cluster, options.name);
  await isOffered(cluster, volume);
  const offered = cluster.clock.now();
  // On a clock that stands still, a later claim would have no later right.
  await cluster.eventually("a moment has passed", () => cluster.clock.now() > offered, 1_000);
  return volume;
}

export function isPhase(cluster: Cluster, volume: string, phase: string): Promise<unknown> {
  return cluster.eventually(
    `volume ${volume} is ${phase}`,
    async () => (await volumeOf(cluster, volume)).status?.phase === phase,
  );
}

export function volumeIsGone({ admin, eventually }: Cluster, volume: string): Promise<unknown> {
  return eventually(
    `volume ${volume} is gone`,
    async () => !(await admin.get(PersistentVolume, undefined, volume)),
    180_000,
  );
}

/** Merge-patches a volume. */
export function patchVolume({ admin }: Cluster, volume: string, patch: object): Promise<unknown> {
  return admin.patch(PersistentVolume, undefined, volume, "merge", patch);
}

export function annotateVolume(
  cluster: Cluster,
  volume: string,
  annotations: Record<string, string | null>,
): Promise<unknown> {
  return patchVolume(cluster, volume, { metadata: { annotations } });
}

export function annotateNamespace({ admin, namespace }: Cluster, annotations: Record<string, string | null>) {
  return admin.patch(Namespace, undefined, namespace, "merge", { metadata: { annotations } });
}

export function annotateClaim(
  { admin, namespace }: Cluster,
  annotations: Record<string, string | null>,
  name = "data",
) {
  return admin.patch(PersistentVolumeClaim, namespace, name, "merge", { metadata: { annotations } });
}

/** Moves the time of a kept volume to now, and waits until the sweep knows. */
export async function makeDue(cluster: Cluster, volume: string): Promise<void> {
  const time = `${new Date(cluster.clock.now() - 1000).toISOString().slice(0, 19)}Z`;
  await annotateVolume(cluster, volume, { [reclaimAtKey]: time });
  await cluster.eventually("the sweep is to come", async () => {
    const { next } = noteOn(await volumeOf(cluster, volume));
    return next !== undefined && Date.parse(next) <= cluster.clock.now();
  });
}

/** Waits until there is an Event of this reason on a volume, and returns its note. */
export function hasEvent({ admin, eventually }: Cluster, volume: string, reason: string): Promise<string> {
  return eventually(`volume ${volume} has the Event ${reason}`, async () => {
    for await (const event of admin.list<RecordedEvent>(Event, { namespace: "default" }))
      if (event.regarding?.name === volume && event.reason === reason) return event.note;
    return false;
  }) as Promise<string>;
}

/** Waits until no Event of this reason is left on a volume. */
export function hasNoEvent({ admin, eventually }: Cluster, volume: string, reason: string): Promise<unknown> {
  return eventually(`volume ${volume} has no Event ${reason} any more`, async () => {
    for await (const event of admin.list<RecordedEvent>(Event, { namespace: "default" }))
      if (event.regarding?.name === volume && event.reason === reason) return false;
    return true;
  });
}

interface RecordedEvent extends KubernetesObject {
  reason: string;
  note: string;
  regarding?: { name: string };
}

/** Creates a class of its own for the scenario; volumes are made at once, unless `fields` say otherwise. */
export async function createClass(
  cluster: Cluster,
  annotations: Record<string, string> = {},
  fields: object = {},
): Promise<string> {
  const name = `${cluster.namespace}-class`;
  await cluster.admin.create(
    StorageClass,
    manifest(StorageClass, { name, annotations }, { provisioner: "kubernetes.io/host-path", ...fields }),
  );
  return name;
}

/** Creates a volume by hand. */
export async function createVolume(
  cluster: Cluster,
  spec: object = {},
  metadata: Partial<ObjectMeta> = {},
): Promise<string> {
  const name = `${cluster.namespace}-static`;
  const defaults = { hostPath: { path: "/tmp/static" }, storageClassName: name };
  await cluster.admin.create(PersistentVolume, persistentVolume({ name, ...metadata }, { ...defaults, ...spec }));
  return name;
}

/** Creates a set whose claims go when it is scaled down, and say that their volumes are kept (`keep`: for a day). */
export async function createSet(
  { admin, namespace }: Cluster,
  replicas: number,
  storageClassName: string,
  keep = "24h",
): Promise<void> {
  const spec = {
    replicas,
    podManagementPolicy: "Parallel",
    persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Delete" },
    template: {
      metadata: { labels: { app: "web" } },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [
          { name: "main", image: "registry.example/main:1", volumeMounts: [{ name: "data", mountPath: "/data" }] },
        ],
      },
    },
    volumeClaimTemplates: [claim({ name: "data", annotations: keep ? { [keepKey]: keep } : {} }, { storageClassName })],
  };
  await admin.create(StatefulSet, statefulSet({ namespace, name: "web" }, spec));
}

export async function scale({ admin, namespace }: Cluster, replicas: number): Promise<void> {
  await admin.patch(StatefulSet, namespace, "web", "merge", { spec: { replicas } });
}

/** Deletes the scenario's namespace, and waits until it is gone. */
export async function deleteNamespace(cluster: Cluster): Promise<void> {
  await cluster.admin.delete(Namespace, undefined, cluster.namespace);
  await namespaceIsGone(cluster);
}

/** Waits until the scenario's namespace is gone. */
export function namespaceIsGone({ admin, namespace, eventually }: Cluster): Promise<unknown> {
  const isGone = async () => !(await admin.get(Namespace, undefined, namespace));
  return eventually("the namespace is gone", isGone, 180_000);
}

export function createNamespace(
  { admin, namespace }: Cluster,
  annotations: Record<string, string> = {},
): Promise<KubernetesObject> {
  return admin.create(Namespace, manifest(Namespace, { name: namespace, annotations }));
}

export async function namespaceOf({ admin, namespace }: Cluster): Promise<KubernetesObject> {
  const live = await admin.get(Namespace, undefined, namespace);
  if (!live) throw new Error(`There is no namespace ${namespace}.`);
  return live;
}
