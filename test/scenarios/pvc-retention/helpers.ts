import { expect } from "vitest";
import { PersistentVolumeClaim, Pod, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject, ObjectMeta, OwnerReference } from "../../../shared/kubernetes/object.ts";
import { ConfigMap, Namespace, PersistentVolume } from "../../worlds/kinds.ts";
import { claim, configMap, statefulSet } from "../../worlds/manifest.ts";
import type { World } from "../../worlds/world.ts";
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
export function createSet(world: World, options: SetOptions = {}): Promise<KubernetesObject> {
  const { admin, namespace } = world;
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
    volumeClaimTemplates: templates.map((template) => ({
      metadata: { name: template, ...(labelled ? { labels: { app: name } } : {}) },
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: "standard",
        resources: { requests: { storage: "1Gi" } },
      },
    })),
    ...spec,
  };
}

/** Creates a set, and waits until its pods run and its policy is in force. */
export async function runningSet(world: World, options: SetOptions = {}): Promise<LiveSet> {
  const { name = set, replicas = 2, policy } = options;
  await createSet(world, options);
  await podsRun(world, replicas, name);
  if (isKnown(policy)) await inForce(world, policy, name);
  return setOf(world, name);
}

const isKnown = (policy: string | undefined): policy is PolicyName =>
  policy !== undefined && Object.hasOwn(policies, policy);

export async function setOf({ admin, namespace }: World, name: string = set): Promise<LiveSet> {
  const live = await admin.get<LiveSet>(StatefulSet, namespace, name);
  if (!live) throw new Error(`There is no set ${name}.`);
  return live;
}

/** Waits until a set has so many pods, all ready, and its controller has seen all that was asked of it. */
export async function podsRun(world: World, replicas: number, name: string = set): Promise<void> {
  await world.eventually(`${name} has ${replicas} ready pods`, async () => {
    const { metadata, status } = await setOf(world, name);
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
export async function inForce(world: World, policy: PolicyName, name: string = set): Promise<void> {
  await world.eventually(`${policy} is in force for ${name}`, async () => isInForce(await setOf(world, name), policy));
}

export function isInForce(live: LiveSet, policy: PolicyName): boolean {
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
export async function fieldOf(world: World, name: string = set): Promise<string> {
  const { whenDeleted, whenScaled } = (await setOf(world, name)).spec.persistentVolumeClaimRetentionPolicy ?? {};
  return `${whenDeleted}/${whenScaled}`;
}

export async function fieldBecomes(world: World, value: string, name: string = set): Promise<void> {
  await world.eventually(`the field of ${name} is ${value}`, async () => (await fieldOf(world, name)) === value);
}

/** Waits until nothing of PVC retention is left on a set. */
export async function isForgotten(world: World, name: string = set): Promise<void> {
  await world.eventually(`nothing of ours is left on ${name}`, async () => {
    const { metadata } = await setOf(world, name);
    return Object.keys(metadata.annotations ?? {}).every((key) => !key.startsWith("holdfast.dev/"));
  });
}

/** Sets annotations of the world's namespace, or takes them away where the value is null. */
export async function annotateNamespace(
  { admin, namespace }: World,
  annotations: Record<string, string | null>,
): Promise<void> {
  await admin.patch(Namespace, undefined, namespace, "merge", { metadata: { annotations } });
}

/** Creates a claim by hand, under the name that a set will look for. */
export async function provideClaim(
  { admin, namespace }: World,
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

export async function scale({ admin, namespace }: World, replicas: number, name: string = set): Promise<void> {
  await admin.patch(StatefulSet, namespace, name, "merge", { spec: { replicas } });
}

/** Sets annotations of a set, or takes them away where the value is null. */
export async function annotateSet(
  { admin, namespace }: World,
  annotations: Record<string, string | null>,
  name: string = set,
): Promise<void> {
  await admin.patch(StatefulSet, namespace, name, "merge", { metadata: { annotations } });
}

/** Changes the policy of a set, and waits until it is in force. */
export async function changePolicy(world: World, policy: PolicyName, name: string = set): Promise<void> {
  await annotateSet(world, { [policyKey]: policy }, name);
  await inForce(world, policy, name);
}

type Cascade = "Background" | "Foreground" | "Orphan";

/** Deletes a set and waits until it is gone. */
export async function deleteSet(world: World, cascade: Cascade = "Background", name: string = set): Promise<void> {
  await askToDelete(world, cascade, name);
  await setIsGone(world, name);
}

/** Asks for the deletion of a set. */
export async function askToDelete(
  { admin, namespace }: World,
  cascade: Cascade = "Background",
  name: string = set,
): Promise<void> {
  await admin.delete(StatefulSet, namespace, name, { propagationPolicy: cascade });
}

export async function setIsGone(world: World, name: string = set): Promise<void> {
  const { admin, namespace } = world;
  await world.eventually(`${name} is gone`, async () => !(await admin.get(StatefulSet, namespace, name)));
}

export function podOf({ admin, namespace }: World, ordinal: number, name: string = set) {
  return admin.get(Pod, namespace, `${name}-${ordinal}`);
}

export async function deletePod({ admin, namespace }: World, ordinal: number, name: string = set): Promise<void> {
  await admin.delete(Pod, namespace, `${name}-${ordinal}`);
}

/** Deletes pods by hand and waits until each is replaced by one that runs. */
export async function restartPods(world: World, ordinals: readonly number[], name: string = set): Promise<void> {
  const old = await Promise.all(ordinals.map((ordinal) => podOf(world, ordinal, name)));
  await Promise.all(ordinals.map((ordinal) => deletePod(world, ordinal, name)));
  for (const [index, ordinal] of ordinals.entries())
    await podIsReplaced(world, ordinal, old[index]?.metadata.uid ?? "", name);
}

/** Updates the pod template, and waits until all pods are updated and ready. */
export async function rollOut(world: World, name: string = set): Promise<void> {
  const { admin, namespace } = world;
  const before = await setOf(world, name);
  const template = { metadata: { annotations: { "scenario.example/version": "2" } } };
  await admin.patch(StatefulSet, namespace, name, "merge", { spec: { template } });
  await world.eventually(`${name} is rolled out`, async () => {
    const { metadata, spec, status } = await setOf(world, name);
    return (
      metadata.generation !== before.metadata.generation &&
      status?.observedGeneration === metadata.generation &&
      status?.updatedReplicas === spec.replicas &&
      status.readyReplicas === spec.replicas
    );
  });
}

/** Waits until another pod than this one runs in its place. */
export async function podIsReplaced(world: World, ordinal: number, old: string, name: string = set): Promise<void> {
  await world.eventually(`pod ${name}-${ordinal} is another one and runs`, async () => {
    const pod = await podOf(world, ordinal, name);
    return pod !== undefined && pod.metadata.uid !== old && phaseOf(pod) === "Running";
  });
}

const phaseOf = ({ status }: KubernetesObject) => (status as { phase?: string } | undefined)?.phase;

export async function podIsGone(world: World, ordinal: number, name: string = set): Promise<void> {
  await world.eventually(`pod ${name}-${ordinal} is gone`, async () => !(await podOf(world, ordinal, name)));
}

export const claimName = (ordinal: number, name: string = set, template = "data"): string =>
  `${template}-${name}-${ordinal}`;

export function claimOf(
  { admin, namespace }: World,
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
  world: World,
  ordinals: readonly number[],
  name: string = set,
  template = "data",
): Promise<Data[]> {
  const data: Data[] = [];
  for (const ordinal of ordinals)
    data.push(
      await world.eventually(`claim ${claimName(ordinal, name, template)} has a volume`, async () => {
        const claim = await claimOf(world, ordinal, name, template);
        const volume = (claim?.spec as { volumeName?: string } | undefined)?.volumeName;
        return claim && volume !== undefined && { claim: claim.metadata.uid, volume };
      }),
    );
  return data;
}

/** Lets time pass, and sees that claims are there with the data that they had, and nobody deletes them. */
export async function dataStays(
  world: World,
  ordinals: readonly number[],
  data: readonly Data[],
  name: string = set,
  template = "data",
): Promise<void> {
  await world.rest();
  for (const [index, ordinal] of ordinals.entries()) {
    const claim = await claimOf(world, ordinal, name, template);
    expect(claim?.metadata.uid).toBe(data[index]?.claim);
    expect(claim?.metadata.deletionTimestamp).toBeUndefined();
    const volume = await world.admin.get(PersistentVolume, undefined, data[index]?.volume ?? "");
    expect(volume?.spec).toMatchObject({ claimRef: { uid: data[index]?.claim } });
    expect(volume?.status).toMatchObject({ phase: "Bound" });
  }
}

/** Waits until the claims of data are gone, and their volumes with them. */
export async function dataGoes(
  world: World,
  ordinals: readonly number[],
  data: readonly (Data | undefined)[],
  name: string = set,
  template = "data",
): Promise<void> {
  for (const [index, ordinal] of ordinals.entries()) {
    const old = data[index];
    if (!old) throw new Error(`Nothing is known of the data of ${ordinal}.`);
    await claimIsGone(world, ordinal, old.claim, name, template);
    await volumeGoes(world, old);
  }
}

/** Waits until this incarnation of a claim is gone. */
export async function claimIsGone(
  world: World,
  ordinal: number,
  uid: string,
  name: string = set,
  template = "data",
): Promise<void> {
  await world.eventually(`claim ${claimName(ordinal, name, template)} goes`, async () => {
    return (await claimOf(world, ordinal, name, template))?.metadata.uid !== uid;
  });
}

/** Waits until a volume is gone, and the data with it. */
export async function volumeGoes({ admin, eventually }: World, { volume }: Data): Promise<void> {
  await eventually(`volume ${volume} goes`, async () => !(await admin.get(PersistentVolume, undefined, volume)));
}

/** What the claims of these ordinals belong to, as `StatefulSet web`. */
async function ownersOf(world: World, ordinal: number, name: string = set): Promise<string[]> {
  const { ownerReferences = [] } = (await claimOf(world, ordinal, name))?.metadata ?? {};
  return ownerReferences.map((owner) => `${owner.kind} ${owner.name}`).sort();
}

/** Waits until a claim belongs to exactly these, as `StatefulSet web`. */
export async function belongsTo(world: World, ordinal: number, owners: readonly string[]): Promise<void> {
  await world.eventually(`claim ${claimName(ordinal)} belongs to ${owners.join(", ") || "nobody"}`, async () => {
    return (await ownersOf(world, ordinal)).join() === owners.toSorted().join();
  });
}

/** Changes the metadata of a claim. */
export async function patchClaim(
  { admin, namespace }: World,
  ordinal: number,
  metadata: Partial<Omit<ObjectMeta, "annotations" | "labels">> &
    Partial<Record<"annotations" | "labels", Record<string, string | null>>>,
  name: string = set,
): Promise<void> {
  await admin.patch(PersistentVolumeClaim, namespace, claimName(ordinal, name), "merge", { metadata });
}

/** Puts a finalizer of the scenario's own on a claim. */
export async function hold({ admin, namespace }: World, ordinal: number): Promise<void> {
  await admin.patch(PersistentVolumeClaim, namespace, claimName(ordinal), "strategic", {
    metadata: { finalizers: [holding] },
  });
}

/** Takes it off. */
export async function letGo({ admin, namespace }: World, ordinal: number): Promise<void> {
  await admin.patch(PersistentVolumeClaim, namespace, claimName(ordinal), "strategic", {
    metadata: { "$deleteFromPrimitiveList/finalizers": [holding] },
  });
}

const holding = "scenario.example/hold";

/** Says on a claim that whatever deletes it from now on does so for the scenario. */
export async function goesByHand(world: World, ordinal: number): Promise<void> {
  await patchClaim(world, ordinal, { annotations: { [byHandKey]: "true" } });
}

/** Puts a finalizer of the scenario's own on a pod: it stays terminating, however late the functions are. */
export async function holdPod({ admin, namespace }: World, ordinal: number): Promise<void> {
  await admin.patch(Pod, namespace, `${set}-${ordinal}`, "strategic", { metadata: { finalizers: [holding] } });
}

/** Takes it off. */
export async function letGoOfPod({ admin, namespace }: World, ordinal: number): Promise<void> {
  await admin.patch(Pod, namespace, `${set}-${ordinal}`, "strategic", {
    metadata: { "$deleteFromPrimitiveList/finalizers": [holding] },
  });
}

/** Somebody else who may own things. */
export function ownerOf({ admin, namespace }: World, name: string): Promise<KubernetesObject> {
  return admin.create(ConfigMap, configMap({ namespace, name }));
}

/** Takes a pod from its set, and waits until the set has taken it back. */
export async function orphanPod(world: World, ordinal: number): Promise<void> {
  const { admin, namespace } = world;
  await admin.patch(Pod, namespace, `${set}-${ordinal}`, "merge", { metadata: { ownerReferences: null } });
  await world.eventually(`pod ${set}-${ordinal} is taken back`, async () => {
    return (await podOf(world, ordinal))?.metadata.ownerReferences?.some(({ controller }) => controller);
  });
}

let touches = 0;

/** Changes a set without changing what it wants, so that everybody looks at it. */
export function touch(world: World, name: string = set): Promise<void> {
  return annotateSet(world, { "scenario.example/touched": `${++touches}` }, name);
}

/**
 * Changes a set until something has come about. Its controller learns of sets, pods and claims by a watch of each: it
 * may look before it sees what it waits for, and looks again at the next change only.
 */
export async function touchUntil(world: World, what: string, check: () => Promise<unknown>): Promise<void> {
  for (const begun = world.clock.now(); !(await check()); await world.rest()) {
    if (world.clock.now() > begun + 180_000) throw new Error(`Not within three minutes: ${what}.`);
    await touch(world);
  }
}

/** A reference to an object. It only owns, unless told otherwise. */
export function referenceTo(
  { apiVersion, kind, metadata: { name, uid } }: KubernetesObject,
  more: Partial<OwnerReference> = {},
): OwnerReference {
  return { apiVersion, kind, name, uid, ...more };
}

/** Waits until a function has recorded an Event of this reason on an object, and returns it. */
export function hasEvent(world: World, kind: string, name: string, reason: string): Promise<RecordedEvent> {
  return world.eventually(`${kind} ${name} has the Event ${reason}`, async () =>
    (await noticesOn(world, kind, name)).find((notice) => notice.reason === reason),
  );
}

/** Waits until an object has no Event of a reason any more. */
export async function eventIsCleared(world: World, kind: string, name: string, reason: string): Promise<void> {
  await world.eventually(`${kind} ${name} has no Event any more: ${reason}`, async () =>
    (await noticesOn(world, kind, name)).every((notice) => notice.reason !== reason),
  );
}
