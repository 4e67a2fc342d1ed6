import { expect } from "vitest";
import { PersistentVolumeClaim, Pod, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject, ObjectMeta, OwnerReference } from "../../../shared/kubernetes/object.ts";
import type { Cluster } from "../../harness/cluster.ts";
import { ConfigMap, Namespace, PersistentVolume } from "../../harness/kinds.ts";
import { claim, configMap, statefulSet } from "../../harness/manifest.ts";
import { noticesOn, type RecordedEvent } from "../recorded-events.ts";
import { type PolicyName, policies } from "./policies.ts";

// What scenarios of PVC retention do and wait for. Unless they say otherwise, it is about set `web` and template
// `data`.

export const policyKey = "holdfast.dev/pvc-delete-policy";
/** Scenarios write this on a claim that they delete themselves, or have deleted for the sake of another owner. */
export const byHandKey = "scenario.example/deleted-by-hand";
export const set = "web";

/** A StatefulSet as far as scenarios look at it. */
export interface LiveSet extends KubernetesObject {
  spec: {
    replicas: number;
    ordinals?: { start?: number };
    persistentVolumeClaimRetentionPolicy?: { whenDeleted: string; whenScaled: string };
    [field: string]: unknown;
  };
  status?: { observedGeneration?: number; replicas: number; readyReplicas?: number; updatedReplicas?: number };
}

interface SetOptions {
  readonly name?: string;
  /** 2 by default, as in the document's list. */
  readonly replicas?: number;
  readonly policy?: string;
  readonly annotations?: Record<string, string>;
  /** `spec.ordinals.start`. */
  readonly start?: number;
  /** Milliseconds that a pod of the set takes to stop. */
  readonly stopAfter?: number;
  readonly templates?: readonly string[];
  /** The templates ask for the labels of the set's selector, so that claims without them are none of the set's. */
  readonly labelled?: boolean;
  readonly spec?: Record<string, unknown>;
}

/** Creates a set with a claim of 1 GiB per pod and template. All of its pods come and go at once. */
export function createSet(cluster: Cluster, options: SetOptions = {}): Promise<KubernetesObject> {
  const { admin, namespace } = cluster;
  const { name = set, policy, annotations = {} } = options;
  const named = policy === undefined ? annotations : { ...annotations, [policyKey]: policy };
  return admin.create(StatefulSet, statefulSet({ namespace, name, annotations: named }, specOf(name, options)));
}

function specOf(
  name: string,
  { replicas = 2, start, stopAfter, templates = ["data"], labelled = false, spec = {} }: SetOptions,
): Record<string, unknown> {
  const annotations = stopAfter === undefined ? {} : { "laptop.holdfast.dev/stop-after": `${stopAfter}ms` };
  return {
    replicas,
    podManagementPolicy: "Parallel",
    ...(start === undefined ? {} : { ordinals: { start } }),
    template: {
      metadata: { labels: { app: name }, annotations },
      spec: {
        terminationGracePeriodSeconds: 10,
        containers: [
          {
            name: "main",
            image: "registry.example/main:1",
            volumeMounts: templates.map((template) => ({ name: template, mountPath: `/${template}` })),
          },
        ],
      },
    },
    volumeClaimTemplates: templates.map((template) =>
      claim({ name: template, ...(labelled ? { labels: { app: name } } : {}) }, { storageClassName: "standard" }),
    ),
    ...spec,
  };
}

/** Creates a set, and waits until its pods run and its policy is in force. */
export async function runningSet(cluster: Cluster, options: SetOptions = {}): Promise<LiveSet> {
  const { name = set, replicas = 2, policy } = options;
  await createSet(cluster, options);
  await podsRun(cluster, replicas, name);
  if (isKnown(policy)) await inForce(cluster, policy, name);
  return setOf(cluster, name);
}

/** The same; returns what is behind the claims of its pods. */
export async function runningData(cluster: Cluster, options: SetOptions = {}): Promise<Data[]> {
  const { name, replicas = 2, start = 0 } = options;
  await runningSet(cluster, options);
  const ordinals = Array.from({ length: replicas }, (_, index) => start + index);
  return dataOf(cluster, ordinals, name);
}

const isKnown = (policy: string | undefined): policy is PolicyName =>
  policy !== undefined && Object.hasOwn(policies, policy);

export async function setOf({ admin, namespace }: Cluster, name: string = set): Promise<LiveSet> {
  const live = await admin.get<LiveSet>(StatefulSet, namespace, name);
  if (!live) throw new Error(`There is no set ${name}.`);
  return live;
}

/** Waits until a set has so many pods, all ready, and its controller has seen all that was asked of it. */
export async function podsRun(cluster: Cluster, replicas: number, name: string = set): Promise<void> {
  await cluster.eventually(`${name} has ${replicas} ready pods`, async () => {
    const { metadata, status } = await setOf(cluster, name);
    return (
      status?.replicas === replicas &&
      (status.readyReplicas ?? 0) === replicas &&
      status.observedGeneration === metadata.generation
    );
  });
}

/**
 * Waits until the field says what a policy asks for, and both Kubernetes' controller and `set-owner` have seen to the
 * claims.
 */
export async function inForce(cluster: Cluster, policy: PolicyName, name: string = set): Promise<void> {
  await cluster.eventually(`${policy} is in force for ${name}`, async () =>
    isInForce(await setOf(cluster, name), policy),
  );
}

function isInForce(live: LiveSet, policy: PolicyName): boolean {
  const noted = progressOn(live, "sync-policy");
  return noted?.step === "in-force" && noted.policy === policy && isFollowed(live);
}

/** Whether Kubernetes' controller and `set-owner` have seen the set as it is. */
export function isFollowed(live: LiveSet): boolean {
  const { metadata, spec, status } = live;
  const noted = progressOn(live, "set-owner");
  return (
    noted?.step === "followed" &&
    noted.whenDeleted === spec.persistentVolumeClaimRetentionPolicy?.whenDeleted &&
    noted.replicas === (status?.replicas ?? 0) &&
    status?.observedGeneration === metadata.generation
  );
}

/** The field as `Delete/Retain`: when the set is deleted, and when it is scaled down. */
export async function fieldOf(cluster: Cluster, name: string = set): Promise<string> {
  const { whenDeleted, whenScaled } = (await setOf(cluster, name)).spec.persistentVolumeClaimRetentionPolicy ?? {};
  return `${whenDeleted}/${whenScaled}`;
}

export async function fieldBecomes(cluster: Cluster, value: string, name: string = set): Promise<void> {
  await cluster.eventually(`the field of ${name} is ${value}`, async () => (await fieldOf(cluster, name)) === value);
}

/** Waits until nothing of PVC retention is left on a set. */
export async function isForgotten(cluster: Cluster, name: string = set): Promise<void> {
  await cluster.eventually(`nothing of ours is left on ${name}`, async () => {
    const { metadata } = await setOf(cluster, name);
    return Object.keys(metadata.annotations ?? {}).every((key) => !key.startsWith("holdfast.dev/"));
  });
}

/** Sets annotations of the cluster's namespace, or takes them away where the value is null. */
export async function annotateNamespace(
  { admin, namespace }: Cluster,
  annotations: Record<string, string | null>,
): Promise<void> {
  await admin.patch(Namespace, undefined, namespace, "merge", { metadata: { annotations } });
}

/** Creates a claim by hand, under the name that a set will look for. */
export async function provideClaim(
  { admin, namespace }: Cluster,
  ordinal: number,
  metadata: Partial<ObjectMeta> = {},
): Promise<void> {
  const object = claim({ namespace, name: claimName(ordinal), ...metadata }, { storageClassName: "standard" });
  await admin.create(PersistentVolumeClaim, object);
}

/** What a rule wrote down on an object. */
export function progressOn(object: KubernetesObject, rule: string): Record<string, unknown> | undefined {
  const text = object.metadata.annotations?.[`holdfast.dev/pvc-retention.${rule}`];
  return text === undefined ? undefined : JSON.parse(text);
}

export async function scale({ admin, namespace }: Cluster, replicas: number, name: string = set): Promise<void> {
  await admin.patch(StatefulSet, namespace, name, "merge", { spec: { replicas } });
}

/** Sets annotations of a set, or takes them away where the value is null. */
export async function annotateSet(
  { admin, namespace }: Cluster,
  annotations: Record<string, string | null>,
  name: string = set,
): Promise<void> {
  await admin.patch(StatefulSet, namespace, name, "merge", { metadata: { annotations } });
}

/** Changes the policy of a set, and waits until it is in force. */
export async function changePolicy(cluster: Cluster, policy: PolicyName, name: string = set): Promise<void> {
  await annotateSet(cluster, { [policyKey]: policy }, name);
  await inForce(cluster, policy, name);
}

type Cascade = "Background" | "Foreground" | "Orphan";

/** Deletes a set and waits until it is gone. */
export async function deleteSet(cluster: Cluster, cascade: Cascade = "Background", name: string = set): Promise<void> {
  await askToDelete(cluster, cascade, name);
  await setIsGone(cluster, name);
}

/** Asks for the deletion of a set. */
export async function askToDelete(
  { admin, namespace }: Cluster,
  cascade: Cascade = "Background",
  name: string = set,
): Promise<void> {
  await admin.delete(StatefulSet, namespace, name, { propagationPolicy: cascade });
}

export async function setIsGone(cluster: Cluster, name: string = set): Promise<void> {
  const { admin, namespace } = cluster;
  await cluster.eventually(`${name} is gone`, async () => !(await admin.get(StatefulSet, namespace, name)));
}

export function podOf({ admin, namespace }: Cluster, ordinal: number, name: string = set) {
  return admin.get(Pod, namespace, `${name}-${ordinal}`);
}

export async function deletePod({ admin, namespace }: Cluster, ordinal: number, name: string = set): Promise<void> {
  await admin.delete(Pod, namespace, `${name}-${ordinal}`);
}

/** Deletes pods by hand and waits until each is replaced by one that runs. */
export async function restartPods(cluster: Cluster, ordinals: readonly number[], name: string = set): Promise<void> {
  const old = await Promise.all(ordinals.map((ordinal) => podOf(cluster, ordinal, name)));
  await Promise.all(ordinals.map((ordinal) => deletePod(cluster, ordinal, name)));
  for (const [index, ordinal] of ordinals.entries())
    await podIsReplaced(cluster, ordinal, old[index]?.metadata.uid ?? "", name);
}

/** Updates the pod template, and waits until all pods are updated and ready. */
export async function rollOut(cluster: Cluster, name: string = set): Promise<void> {
  const { admin, namespace } = cluster;
  const before = await setOf(cluster, name);
  const template = { metadata: { annotations: { "scenario.example/version": "2" } } };
  await admin.patch(StatefulSet, namespace, name, "merge", { spec: { template } });
  await cluster.eventually(`${name} is rolled out`, async () => {
    const { metadata, spec, status } = await setOf(cluster, name);
    return (
      metadata.generation !== before.metadata.generation &&
      status?.observedGeneration === metadata.generation &&
      status?.updatedReplicas === spec.replicas &&
      status.readyReplicas === spec.replicas
    );
  });
}

/** Waits until another pod than this one runs in its place. */
export async function podIsReplaced(cluster: Cluster, ordinal: number, old: string, name: string = set): Promise<void> {
  await cluster.eventually(`pod ${name}-${ordinal} is another one and runs`, async () => {
    const pod = await podOf(cluster, ordinal, name);
    return pod !== undefined && pod.metadata.uid !== old && phaseOf(pod) === "Running";
  });
}

const phaseOf = ({ status }: KubernetesObject) => (status as { phase?: string } | undefined)?.phase;

export async function podIsGone(cluster: Cluster, ordinal: number, name: string = set): Promise<void> {
  await cluster.eventually(`pod ${name}-${ordinal} is gone`, async () => !(await podOf(cluster, ordinal, name)));
}

export const claimName = (ordinal: number, name: string = set, template = "data"): string =>
  `${template}-${name}-${ordinal}`;

export function claimOf(
  { admin, namespace }: Cluster,
  ordinal: number,
  name: string = set,
  template = "data",
): Promise<KubernetesObject | undefined> {
  return admin.get(PersistentVolumeClaim, namespace, claimName(ordinal, name, template));
}

/** The marker by which data is known again: a claim's volume, and for whom it was made. */
export interface Data {
  readonly claim: string;
  readonly volume: string;
}

/** What is behind the claims of these ordinals, as soon as there is something. */
export async function dataOf(
  cluster: Cluster,
  ordinals: readonly number[],
  name: string = set,
  template = "data",
): Promise<Data[]> {
  const data: Data[] = [];
  for (const ordinal of ordinals)
    data.push(
      await cluster.eventually(`claim ${claimName(ordinal, name, template)} has a volume`, async () => {
        const claim = await claimOf(cluster, ordinal, name, template);
        const volume = (claim?.spec as { volumeName?: string } | undefined)?.volumeName;
        return claim && volume !== undefined && { claim: claim.metadata.uid, volume };
      }),
    );
  return data;
}

/** Lets time pass, and checks that claims have the data that they had, and are not being deleted. */
export async function dataStays(
  cluster: Cluster,
  ordinals: readonly number[],
  data: readonly Data[],
  name: string = set,
  template = "data",
): Promise<void> {
  await cluster.rest();
  for (const [index, ordinal] of ordinals.entries()) {
    const claim = await claimOf(cluster, ordinal, name, template);
    expect(claim?.metadata.uid).toBe(data[index]?.claim);
    expect(claim?.metadata.deletionTimestamp).toBeUndefined();
    const volume = await cluster.admin.get(PersistentVolume, undefined, data[index]?.volume ?? "");
    expect(volume?.spec).toMatchObject({ claimRef: { uid: data[index]?.claim } });
    expect(volume?.status).toMatchObject({ phase: "Bound" });
  }
}

/** Waits until the claims of data are gone, and their volumes with them. */
export async function dataGoes(
  cluster: Cluster,
  ordinals: readonly number[],
  data: readonly (Data | undefined)[],
  name: string = set,
  template = "data",
): Promise<void> {
  for (const [index, ordinal] of ordinals.entries()) {
    const old = data[index];
    if (!old) throw new Error(`Nothing is known of the data of ${ordinal}.`);
    await claimIsGone(cluster, ordinal, old.claim, name, template);
    await volumeGoes(cluster, old);
  }
}

/** Waits until this incarnation of a claim is gone. */
export async function claimIsGone(
  cluster: Cluster,
  ordinal: number,
  uid: string,
  name: string = set,
  template = "data",
): Promise<void> {
  await cluster.eventually(`claim ${claimName(ordinal, name, template)} goes`, async () => {
    return (await claimOf(cluster, ordinal, name, template))?.metadata.uid !== uid;
  });
}

/** Waits until a volume is gone, and the data with it. */
export async function volumeGoes({ admin, eventually }: Cluster, { volume }: Data): Promise<void> {
  await eventually(`volume ${volume} goes`, async () => !(await admin.get(PersistentVolume, undefined, volume)));
}

/** What the claims of these ordinals belong to, as `StatefulSet web`. */
async function ownersOf(cluster: Cluster, ordinal: number, name: string = set): Promise<string[]> {
  const { ownerReferences = [] } = (await claimOf(cluster, ordinal, name))?.metadata ?? {};
  return ownerReferences.map((owner) => `${owner.kind} ${owner.name}`).sort();
}

/** Waits until a claim belongs to exactly these, as `StatefulSet web`. */
export async function belongsTo(cluster: Cluster, ordinal: number, owners: readonly string[]): Promise<void> {
  await cluster.eventually(`claim ${claimName(ordinal)} has the owners ${owners.join(", ") || "none"}`, async () => {
    return (await ownersOf(cluster, ordinal)).join() === owners.toSorted().join();
  });
}

/** Changes the metadata of a claim. */
export async function patchClaim(
  { admin, namespace }: Cluster,
  ordinal: number,
  metadata: Partial<Omit<ObjectMeta, "annotations" | "labels">> &
    Partial<Record<"annotations" | "labels", Record<string, string | null>>>,
  name: string = set,
): Promise<void> {
  await admin.patch(PersistentVolumeClaim, namespace, claimName(ordinal, name), "merge", { metadata });
}

/** Puts a finalizer of the scenario's own on a claim. */
export async function hold({ admin, namespace }: Cluster, ordinal: number): Promise<void> {
  await admin.patch(PersistentVolumeClaim, namespace, claimName(ordinal), "strategic", {
    metadata: { finalizers: [holding] },
  });
}

/** Takes it off. */
export async function letGo({ admin, namespace }: Cluster, ordinal: number): Promise<void> {
  await admin.patch(PersistentVolumeClaim, namespace, claimName(ordinal), "strategic", {
    metadata: { "$deleteFromPrimitiveList/finalizers": [holding] },
  });
}

const holding = "scenario.example/hold";

/** Notes on a claim that a deletion from now on is one of the scenario. */
export async function goesByHand(cluster: Cluster, ordinal: number): Promise<void> {
  await patchClaim(cluster, ordinal, { annotations: { [byHandKey]: "true" } });
}

/** Puts a finalizer of the scenario's own on a pod: it stays terminating, however late the functions are. */
export async function holdPod({ admin, namespace }: Cluster, ordinal: number): Promise<void> {
  await admin.patch(Pod, namespace, `${set}-${ordinal}`, "strategic", { metadata: { finalizers: [holding] } });
}

/** Takes it off. */
export async function letGoOfPod({ admin, namespace }: Cluster, ordinal: number): Promise<void> {
  await admin.patch(Pod, namespace, `${set}-${ordinal}`, "strategic", {
    metadata: { "$deleteFromPrimitiveList/finalizers": [holding] },
  });
}

/** Another object that may own objects. */
export function ownerOf({ admin, namespace }: Cluster, name: string): Promise<KubernetesObject> {
  return admin.create(ConfigMap, configMap({ namespace, name }));
}

/** Takes a pod from its set, and waits until the set has taken it back. */
export async function orphanPod(cluster: Cluster, ordinal: number): Promise<void> {
  const { admin, namespace } = cluster;
  await admin.patch(Pod, namespace, `${set}-${ordinal}`, "merge", { metadata: { ownerReferences: null } });
  await cluster.eventually(`pod ${set}-${ordinal} is taken back`, async () => {
    return (await podOf(cluster, ordinal))?.metadata.ownerReferences?.some(({ controller }) => controller);
  });
}

let touches = 0;

/** Changes a set without changing what it wants, so that its controller and the functions look at it. */
export function touch(cluster: Cluster, name: string = set): Promise<void> {
  return annotateSet(cluster, { "scenario.example/touched": `${++touches}` }, name);
}

/**
 * Changes a set until something has come about. Its controller learns of sets, pods and claims by a watch of each: it
 * may look before it sees what it waits for, and looks again at the next change only.
 */
export async function touchUntil(cluster: Cluster, what: string, check: () => Promise<unknown>): Promise<void> {
  for (const begun = cluster.clock.now(); !(await check()); await cluster.rest()) {
    if (cluster.clock.now() > begun + 180_000) throw new Error(`Not within three minutes: ${what}.`);
    await touch(cluster);
  }
}

/** A reference to an object, which is no controller unless `more` says so. */
export function referenceTo(
  { apiVersion, kind, metadata: { name, uid } }: KubernetesObject,
  more: Partial<OwnerReference> = {},
): OwnerReference {
  return { apiVersion, kind, name, uid, ...more };
}

/** Waits until a function has recorded an Event of this reason on an object, and returns it. */
export function hasEvent(cluster: Cluster, kind: string, name: string, reason: string): Promise<RecordedEvent> {
  return cluster.eventually(`${kind} ${name} has the Event ${reason}`, async () =>
    (await noticesOn(cluster, kind, name)).find((notice) => notice.reason === reason),
  );
}

/** Waits until an object has no Event of a reason any more. */
export async function eventIsCleared(cluster: Cluster, kind: string, name: string, reason: string): Promise<void> {
  await cluster.eventually(`${kind} ${name} has no Event any more: ${reason}`, async () =>
    (await noticesOn(cluster, kind, name)).every((notice) => notice.reason !== reason),
  );
}
