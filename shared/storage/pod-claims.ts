import type { KubernetesObject } from "../kubernetes/object.ts";

/** The fields of a Pod that decide whether it uses a claim. */
export interface Pod extends KubernetesObject {
  spec: {
    nodeName?: string;
    volumes?: readonly { name: string; persistentVolumeClaim?: { claimName: string }; ephemeral?: object }[];
    containers?: readonly { name: string }[];
    initContainers?: readonly { name: string }[];
    [field: string]: unknown;
  };
  status?: {
    phase?: string;
    containerStatuses?: readonly ContainerStatus[];
    initContainerStatuses?: readonly ContainerStatus[];
    ephemeralContainerStatuses?: readonly ContainerStatus[];
    [field: string]: unknown;
  };
}

interface ContainerStatus {
  name: string;
  state?: { running?: object; terminated?: object; waiting?: object };
}

/** A claim that a pod names: directly, or as the generic ephemeral volume that the controller makes for it. */
export interface ClaimUse {
  readonly claim: string;
  readonly ephemeral: boolean;
}

/**
 * Every claim a pod names. The claim of an ephemeral volume is called `<pod>-<volume>`. Tolerates a pod without spec.
 */
export function claimsOf(pod: KubernetesObject): readonly ClaimUse[] {
  const volumes = (pod as Partial<Pod>).spec?.volumes;
  if (!Array.isArray(volumes)) return [];
  return (volumes as NonNullable<Pod["spec"]["volumes"]>).flatMap((volume): ClaimUse[] => {
    const claim = volume?.persistentVolumeClaim?.claimName;
    if (typeof claim === "string") return [{ claim, ephemeral: false }];
    return volume?.ephemeral ? [{ claim: `${pod.metadata.name}-${volume.name}`, ephemeral: true }] : [];
  });
}

/** Whether the scheduler, or a client in its place, has given the pod a node. */
export function isBound(pod: KubernetesObject): boolean {
  return Boolean((pod as Partial<Pod>).spec?.nodeName);
}

/**
 * Whether nothing of the pod runs any more: it has succeeded or failed, or it is being deleted and every one of its
 * containers is reported as terminated. One that no kubelet reports on, or that is said to wait, may have been started
 * a moment ago and counts as running: unknown is not absent.
 */
export function isTerminated(pod: KubernetesObject): boolean {
  const { spec, status, metadata } = pod as Partial<Pod> & KubernetesObject;
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return true;
  if (!metadata.deletionTimestamp) return false;
  const reported = [
    ...listOf(status?.containerStatuses),
    ...listOf(status?.initContainerStatuses),
    ...listOf(status?.ephemeralContainerStatuses),
  ];
  const ended = new Set(reported.filter(({ state }) => state?.terminated).map(({ name }) => name));
  const declared = [...listOf(spec?.containers), ...listOf(spec?.initContainers)];
  return declared.length > 0 && [...declared, ...reported].every(({ name }) => ended.has(name));
}

/** Events may carry anything where a list belongs. */
const listOf = <T>(value: readonly T[] | undefined): readonly T[] => (Array.isArray(value) ? value : []);

/**
 * Whether the pod was force-deleted or its grace period has run out: the in-tree controller then lets the claim of an
 * ephemeral volume go, which the pod owns, because each would wait for the other (a pod with a finalizer of its own).
 */
function isShutDown({ metadata }: KubernetesObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
}

/**
 * The claim of an ephemeral volume counts only while the pod controls it: a claim of that name may have another owner.
 */
function isControlledBy(claim: KubernetesObject, pod: KubernetesObject): boolean {
  return listOf(claim.metadata.ownerReferences).some(({ controller, uid }) => controller && uid === pod.metadata.uid);
}

/**
 * What "using" means: `strict` follows the in-tree controller (a bound pod counts until its object is gone, because its
 * volumes may still be mounted), `document` the original proposal (terminated pods do not count). A pod without a node
 * never counts: the kubelet has not seen it.
 */
export type UseMode = "strict" | "document";

/** Whether the pod, by one of the claims it names, uses this claim. Only the claim's metadata is looked at. */
export function uses(
  pod: KubernetesObject,
  { claim, ephemeral }: ClaimUse,
  target: KubernetesObject,
  mode: UseMode,
): boolean {
  if (claim !== target.metadata.name || !isBound(pod)) return false;
  if (mode === "document" && isTerminated(pod)) return false;
  return ephemeral ? isControlledBy(target, pod) && !isShutDown(pod) : true;
}

/**
 * Arrays of a pod that neither {@link claimsOf} nor {@link uses} reads, by their paths: for lists, which need not parse
 * them.
 */
export function unreadOf(mode: UseMode): readonly string[] {
  return mode === "strict" ? [...unread, ...readIfTerminated] : unread;
}

const unread = ["metadata.managedFields", "spec.ephemeralContainers", "spec.tolerations", "status.conditions"];
const readIfTerminated = [
  "spec.containers",
  "spec.initContainers",
  "status.containerStatuses",
  "status.initContainerStatuses",
  "status.ephemeralContainerStatuses",
];
