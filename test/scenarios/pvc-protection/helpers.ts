import { expect } from "vitest";
import { PersistentVolumeClaim, Pod, pathOf } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject, ObjectMeta } from "../../../shared/kubernetes/object.ts";
import type { Cluster } from "../../harness/cluster.ts";
import { bareNode } from "../../harness/cluster-objects.ts";
import { claim, pod } from "../../harness/manifest.ts";
import { eventsOn } from "../recorded-events.ts";

// Helpers of the scenarios of PVC protection.

export const inTree = "kubernetes.io/pvc-protection";
const progress = "holdfast.dev/pvc-protection.release";
export const release = "pvc-protection/release";
export const protect = "pvc-protection/protect";

export { bareNode, kubeletNode as node } from "../../harness/cluster-objects.ts";

interface HeldBy {
  uid: string;
  since: string;
  pods: { pod: string; node: string }[];
  more?: number;
}

/** The finalizer that the functions keep. */
export function ours({ setting }: Cluster): string {
  return setting.finalizer ?? "holdfast.dev/pvc-protection";
}

/** Every finalizer that a live claim gets in this setting, in the order in which they may leave it. */
export function protection(cluster: Cluster): string[] {
  return [...new Set([inTree, ours(cluster)])];
}

/** Creates a claim and waits until it is protected. */
export async function protectedClaim(
  cluster: Cluster,
  name: string,
  metadata: Partial<ObjectMeta> = {},
  spec: Record<string, unknown> = {},
): Promise<KubernetesObject> {
  const { admin, namespace } = cluster;
  await admin.create(PersistentVolumeClaim, claim({ namespace, name, ...metadata }, spec));
  return isProtected(cluster, name);
}

/** Creates a claim with a volume behind it, as users have them. */
export async function boundClaim(
  cluster: Cluster,
  name: string,
  metadata: Partial<ObjectMeta> = {},
): Promise<KubernetesObject> {
  await protectedClaim(cluster, name, metadata, { storageClassName: "standard" });
  return cluster.eventually(`claim ${name} is bound`, async () => {
    const live = await claimOf(cluster, name);
    return (live?.status as { phase?: string } | undefined)?.phase === "Bound" && live;
  });
}

/** Waits until a claim has all the finalizers it should have. */
export function isProtected(cluster: Cluster, name: string): Promise<KubernetesObject> {
  return cluster.eventually(`claim ${name} is protected`, async () => {
    const live = await claimOf(cluster, name);
    return protection(cluster).every((finalizer) => live?.metadata.finalizers?.includes(finalizer)) && live;
  });
}

export function claimOf({ admin, namespace }: Cluster, name: string): Promise<KubernetesObject | undefined> {
  return admin.get(PersistentVolumeClaim, namespace, name);
}

export function podOf({ admin, namespace }: Cluster, name: string): Promise<KubernetesObject | undefined> {
  return admin.get(Pod, namespace, name);
}

export async function isRunning(cluster: Cluster, name: string): Promise<boolean> {
  return ((await podOf(cluster, name))?.status as { phase?: string } | undefined)?.phase === "Running";
}

/** Waits until a kubelet runs a pod. */
export async function podRuns(cluster: Cluster, name: string): Promise<void> {
  await cluster.eventually(`pod ${name} runs`, () => isRunning(cluster, name));
}

/** Waits until the kubelet says that it cannot mount what a pod wants. */
export async function kubeletRefuses(cluster: Cluster, name: string): Promise<void> {
  await cluster.eventually(`the kubelet refuses pod ${name}`, async () => {
    const events = await eventsOn(cluster, "Pod", name);
    return events.some(({ reason }) => reason === "FailedMount");
  });
}

/** Creates a pod that mounts these claims. Without a node it waits for one. */
export function createPod(
  { admin, namespace }: Cluster,
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
export async function runningPod(cluster: Cluster, name: string, claims: readonly string[]): Promise<KubernetesObject> {
  const created = await createPod(cluster, name, claims, bareNode);
  await setPhase(cluster, name, "Running");
  return created;
}

/** Creates claim `data`, protected, and a running pod that mounts it; returns the claim. */
export async function usedClaim(cluster: Cluster, pod = "web"): Promise<KubernetesObject> {
  const created = await protectedClaim(cluster, "data");
  await runningPod(cluster, pod, ["data"]);
  return created;
}

/** Gives a pod its node, as a scheduler does. */
export async function bind({ admin, namespace }: Cluster, name: string, node: string = bareNode): Promise<void> {
  await admin.request("POST", pathOf(Pod, namespace, name, "binding"), {
    apiVersion: "v1",
    kind: "Binding",
    metadata: { name },
    target: { apiVersion: "v1", kind: "Node", name: node },
  });
}

/** Reports a pod's phase, as a kubelet does. */
export async function setPhase({ admin, namespace }: Cluster, name: string, phase: string): Promise<void> {
  await admin.patch(Pod, namespace, name, "merge", { status: { phase } }, { subresource: "status" });
}

/** Deletes a pod for good, as a kubelet does when its containers have stopped. */
export async function removePod({ admin, namespace }: Cluster, name: string): Promise<void> {
  await admin.delete(Pod, namespace, name, { gracePeriodSeconds: 0 });
}

export async function deleteClaim({ admin, namespace }: Cluster, name: string): Promise<void> {
  await admin.delete(PersistentVolumeClaim, namespace, name);
}

/** Deletes a claim so that nothing but our finalizer can hold it. */
export async function deleteHeldByUs(cluster: Cluster, name: string): Promise<void> {
  await deleteClaim(cluster, name);
  await stripInTree(cluster, name);
}

/** Waits until a claim of this name, or this incarnation of it, is gone. */
export async function claimGoes(cluster: Cluster, name: string, uid?: string): Promise<void> {
  await cluster.eventually(`claim ${name} goes`, async () => {
    const live = await claimOf(cluster, name);
    return !live || (uid !== undefined && live.metadata.uid !== uid);
  });
}

/** Waits until a claim says that pods hold it, and returns what it says. */
export function claimIsHeld(cluster: Cluster, name: string): Promise<HeldBy> {
  return cluster.eventually(`claim ${name} says who holds it`, async () => {
    const text = (await claimOf(cluster, name))?.metadata.annotations?.[progress];
    const said = text === undefined ? undefined : (JSON.parse(text) as HeldBy & { step: string });
    return said?.step === "held" && said;
  });
}

/** Lets time pass, in which a claim being deleted must stay and keep our finalizer. */
export async function claimStays(cluster: Cluster, name: string): Promise<void> {
  await cluster.rest();
  const live = await claimOf(cluster, name);
  expect(live?.metadata.deletionTimestamp).toBeDefined();
  expect(live?.metadata.finalizers).toContain(ours(cluster));
}

/** Takes Kubernetes' own finalizer off a claim, so that nothing but ours holds it. */
export async function stripInTree(cluster: Cluster, name: string): Promise<void> {
  if (ours(cluster) !== inTree) await strip(cluster, name, inTree);
}

/** Takes one finalizer off a claim. */
export async function strip({ admin, namespace }: Cluster, name: string, finalizer: string): Promise<void> {
  const patch = { metadata: { "$deleteFromPrimitiveList/finalizers": [finalizer] } };
  await admin.patch(PersistentVolumeClaim, namespace, name, "strategic", patch);
}
