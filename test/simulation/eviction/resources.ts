import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Truth } from "../invariants/invariant.ts";
import { host, type SimulatedOpenStack } from "./openstack.ts";

// Definitions of the simulation's own, apart from those of the rules that it judges.

const lockPrefix = "l2-lock.maintenance.yaook.cloud/";
export const computeLock = `${lockPrefix}NovaComputeNode`;
export const computePod = `novacomputenode-${host}`;
export const l2Pod = `neutronl2agent-${host}`;

export interface ComputeLike extends KubernetesObject {
  readonly spec?: { readonly state?: string };
  readonly status?: { readonly conditions?: readonly { type: string; status: string; message?: string }[] };
}

export const openStackIn = ({ outsides }: Truth) => outsides.get("eviction") as SimulatedOpenStack;
export const computeIn = ({ history }: Truth) => history.live("NovaComputeNode")[0] as ComputeLike | undefined;
export const nodeIn = ({ history }: Truth) => history.live("Node").find(({ metadata }) => metadata.name === host);
export const podIn = ({ history }: Truth, name: string) =>
  history.live("Pod").find(({ metadata }) => metadata.name === name);
export const locksOn = (node: KubernetesObject | undefined) =>
  Object.keys(node?.metadata.annotations ?? {}).filter((key) => key.startsWith(lockPrefix));

/** Servers that are on the host now, or would be there again if their move failed. */
export const serversOn = (truth: Truth) =>
  [...openStackIn(truth).standIn.cloud.instances.values()].filter((one) => one.host === host);

export const conditionOf = (compute: ComputeLike | undefined, type: string) =>
  compute?.status?.conditions?.find((one) => one.type === type);
