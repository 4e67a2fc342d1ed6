import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Condition } from "./condition.ts";

/** A Node as far as the controllers read it. */
export interface NodeObject extends KubernetesObject {
  spec?: { unschedulable?: boolean; taints?: Taint[]; [field: string]: unknown };
  status?: { conditions?: Condition[]; allocatable?: { [resource: string]: string }; [field: string]: unknown };
}

export interface Taint {
  key: string;
  value?: string;
  effect: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
  timeAdded?: string;
}

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

/** `core/v1.NodeSelector`: any of the terms, all requirements within a term. */
export interface NodeSelector {
  nodeSelectorTerms: { matchExpressions?: NodeRequirement[]; matchFields?: NodeRequirement[] }[];
}

interface NodeRequirement {
  key: string;
  operator: string;
  values?: string[];
}

/** Whether the kubelet says, and was last heard saying, that the node can run pods. */
export function isReady(node: NodeObject): boolean {
  return node.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}
