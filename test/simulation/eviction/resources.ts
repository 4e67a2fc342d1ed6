import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Truth } from "../invariants/invariant.ts";
import { host, type SimulatedOpenStack } from "./openstack.ts";

// Definitions of the simulation's own, apart from those of the rules that it judges.

const lockPrefix = "l2-lock.maintenance.yaook.cloud/";
/** The annotation that a NovaComputeNode has from the beginning of its eviction to the end. */
export const recordKey = "holdfast.dev/eviction";
export const computeLock = `${lockPrefix}NovaComputeNode`;
export const podPrefix = "novacomputenode-";
export const computePod = `${podPrefix}${host}`;
export const l2Pod = `neutronl2agent-${host}`;

export interface ComputeLike extends KubernetesObject {
  readonly spec?: { readonly state?: string };
  readonly status?: { readonly conditions?: readonly { type: string; status: string; message?: string }[] };
}

export const openStackIn = ({ outsides }: Truth) => outsides.get("eviction") as SimulatedOpenStack;
export const computesIn = ({ history }: Pick<Truth, "history">) =>
  history.live("NovaComputeNode") as readonly ComputeLike[];
export const computeIn = (truth: Truth, name: string = host) =>
  computesIn(truth).find(({ metadata }) => metadata.name === name);
export const nodeIn = ({ history }: Truth, name: string = host) =>
  history.live("Node").find(({ metadata }) => metadata.name === name);
export const podIn = ({ history }: Truth, name: string) =>
  history.live("Pod").find(({ metadata }) => metadata.name === name);
/** The pod of nova-compute on a host. */
export const computePodOn = (truth: Truth, name: string) => podIn(truth, `${podPrefix}${name}`);
/** The host whose nova-compute a pod is, by the name of the pod. */
export const hostOfPod = (name: string) => (name.startsWith(podPrefix) ? name.slice(podPrefix.length) : undefined);
export const locksOn = (node: KubernetesObject | undefined) =>
  Object.keys(node?.metadata.annotations ?? {}).filter((key) => key.startsWith(lockPrefix));

/** Servers that are on a host now, or would be there again if their move failed. */
export const serversOn = (truth: Truth, name: string) =>
  [...openStackIn(truth).standIn.cloud.instances.values()].filter((one) => one.host === name);

/** On a machine that is off no server runs, also if Nova still says so. */
export const isOff = (truth: Truth, name: string) =>
  openStackIn(truth).standIn.cloud.hosts.get(name)?.power === "power off";

export const conditionOf = (compute: ComputeLike | undefined, type: string) =>
  compute?.status?.conditions?.find((one) => one.type === type);
