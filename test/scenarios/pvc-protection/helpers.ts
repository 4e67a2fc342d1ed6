import { expect } from "vitest";
import { PersistentVolumeClaim, Pod, pathOf } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject, ObjectMeta } from "../../../shared/kubernetes/object.ts";
import { bareNode } from "../../worlds/cluster-objects.ts";
import { claim, pod } from "../../worlds/manifest.ts";
import type { World } from "../../worlds/world.ts";
import { eventsOn } from "../recorded-events.ts";

// Helpers of the scenarios of PVC protection.

export const inTree = "kubernetes.io/pvc-protection";
const progress = "holdfast.dev/pvc-protection.release";
export const release = "pvc-protection/release";
export const protect = "pvc-protection/protect";

export { bareNode, kubeletNode as node } from "../../worlds/cluster-objects.ts";

interface HeldBy {
  uid: string;
  since: string;
  pods: { pod: string; node: string }[];
  more?: number;
}

/** The finalizer that the functions keep. */
export function ours({ setting }: World): string {
  return setting.finalizer ?? "holdfast.dev/pvc-protection";
}

/** Every finalizer that a live claim gets in this setting, in the order in which they may leave it. */
export function protection(world: World): string[] {
  return [...new Set([inTree, ours(world)])];
}

/** Creates a claim and waits until it is protected. */
export async function protectedClaim(
  world: World,
  name: string,
  metadata: Partial<ObjectMeta> = {},
  spec: Record<string, unknown> = {},
): Promise<KubernetesObject> {
  const { admin, namespace } = world;
  await admin.create(PersistentVolumeClaim, claim({ namespace, name, ...metadata }, spec));
  return isProtected(world, name);
}

/** Creates a claim with a volume behind it, as users have them. */
export async function boundClaim(
  world: World,
  name: string,
  metadata: Partial<ObjectMeta> = {},
): Promise<KubernetesObject> {
  await protectedClaim(world, name, metadata, { storageClassName: "standard" });
  return world.eventually(`claim ${name} is bound`, async () => {
    const live = await claimOf(world, name);
    return (live?.status as { phase?: string } | undefined)?.phase === "Bound" && live;
  });
}

/** Waits until a claim has all the finalizers it should have. */
export function isProtected(world: World, name: string): Promise<KubernetesObject> {
  return world.eventually(`claim ${name} is protected`, async () => {
    const live = await claimOf(world, name);
    return protection(world).every((finalizer) => live?.metadata.finalizers?.includes(finalizer)) && live;
  });
}

export function claimOf({ admin, namespace }: World, name: string): Promise<KubernetesObject | undefined> {
  return admin.get(PersistentVolumeClaim, namespace, name);
}

export function podOf({ admin, namespace }: World, name: string): Promise<KubernetesObject | undefined> {
  return admin.get(Pod, namespace, name);
}

export async function isRunning(world: World, name: string): Promise<boolean> {
  return ((await podOf(world, name))?.status as { phase?: string } | undefined)?.phase === "Running";
}

/** Waits until a kubelet runs a pod. */
export async function podRuns(world: World, name: string): Promise<void> {
  await world.eventually(`pod ${name} runs`, () => isRunning(world, name));
}

/** Waits until the kubelet says that it cannot mount what a pod wants. */
export async function kubeletRefuses(world: World, name: string): Promise<void> {
  await world.eventually(`the kubelet refuses pod ${name}`, async () => {
    const events = await eventsOn(world, "Pod", name);
    return events.some(({ reason }) => reason === "FailedMount");
  });
}

/** Creates a pod that mounts these claims. Without a node it waits for one. */
export function createPod(
  { admin, namespace }: World,
  name: string,
  claims: readonly string[],
  node?: string,
  spec: Record<string, unknown> = {},
  metadata: Partial<ObjectMeta> = {},
): Promise<KubernetesObject> {
  return admin.create(
    Pod,
    pod({ namespace, name, ...metadata }, claims, { ...(node ? { nodeName: node } : {}), ...spec }),
  );
}

/** A pod that runs on the node without a kubelet and mounts these claims. */
export async function runningPod(world: World, name: string, claims: readonly string[]): Promise<KubernetesObject> {
  const created = await createPod(world, name, claims, bareNode);
  await setPhase(world, name, "Running");
  return created;
}

/** Gives a pod its node, as a scheduler does. */
export async function bind({ admin, namespace }: World, name: string, node: string = bareNode): Promise<void> {
  await admin.request("POST", pathOf(Pod, namespace, name, "binding"), {
    apiVersion: "v1",
    kind: "Binding",
    metadata: { name },
    target: { apiVersion: "v1", kind: "Node", name: node },
  });
}

/** Reports a pod's phase, as a kubelet does. */
export async function setPhase({ admin, namespace }: World, name: string, phase: string): Promise<void> {
  await admin.patch(Pod, namespace, name, "merge", { status: { phase } }, { subresource: "status" });
}

/** Deletes a pod for good, as a kubelet does when its containers have stopped. */
export async function removePod({ admin, namespace }: World, name: string): Promise<void> {
  await admin.delete(Pod, namespace, name, { gracePeriodSeconds: 0 });
}

export async function deleteClaim({ admin, namespace }: World, name: string): Promise<void> {
  await admin.delete(PersistentVolumeClaim, namespace, name);
}

/** Waits until a claim of this name, or this incarnation of it, is gone. */
export async function claimGoes(world: World, name: string, uid?: string): Promise<void> {
  await world.eventually(`claim ${name} goes`, async () => {
    const live = await claimOf(world, name);
    return !live || (uid !== undefined && live.metadata.uid !== uid);
  });
}

/** Waits until a claim says that pods hold it, and returns what it says. */
export function claimIsHeld(world: World, name: string): Promise<HeldBy> {
  return world.eventually(`claim ${name} says who holds it`, async () => {
    const text = (await claimOf(world, name))?.metadata.annotations?.[progress];
    const said = text === undefined ? undefined : (JSON.parse(text) as HeldBy & { step: string });
    return said?.step === "held" && said;
  });
}

/** Lets time pass, in which a claim being deleted must stay and keep our finalizer. */
export async function claimStays(world: World, name: string): Promise<void> {
  await world.rest();
  const live = await claimOf(world, name);
  expect(live?.metadata.deletionTimestamp).toBeDefined();
  expect(live?.metadata.finalizers).toContain(ours(world));
}

/** Takes Kubernetes' own finalizer off a claim, so that nothing but ours holds it. */
export async function stripInTree(world: World, name: string): Promise<void> {
  if (ours(world) !== inTree) await strip(world, name, inTree);
}

/** Takes one finalizer off a claim. */
export async function strip({ admin, namespace }: World, name: string, finalizer: string): Promise<void> {
  const patch = { metadata: { "$deleteFromPrimitiveList/finalizers": [finalizer] } };
  await admin.patch(PersistentVolumeClaim, namespace, name, "strategic", patch);
}
