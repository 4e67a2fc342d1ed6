import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Taint } from "../../../shared/kubernetes/toleration.ts";
import type { Condition } from "./condition.ts";

/** A Node as far as the controllers read it. */
export interface NodeObject extends KubernetesObject {
  spec?: { unschedulable?: boolean; taints?: Taint[]; [field: string]: unknown };
  status?: { conditions?: Condition[]; allocatable?: { [resource: string]: string }; [field: string]: unknown };
}

/** Whether the kubelet says, and was last heard saying, that the node can run pods. */
export function isReady(node: NodeObject): boolean {
  return node.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}
