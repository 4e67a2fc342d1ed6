import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import type { Taint } from "../../../../shared/kubernetes/toleration.ts";

import type { Candidate } from "./satellite-wanted.ts";

/**
 * Label of a Node of which something has changed that functions go by. The admission policy of satellites sets it in
 * the write itself, so that a source that selects it sends an event then, and none for a kubelet's heartbeats; create
 * takes it off.
 */
export const changedLabel = "holdfast.dev/changed";

/** The option of satellites that brings that policy. */
export const admissionPolicy = "admission-policy";

/** A Node as far as it decides whether it is to have a satellite. */
export function candidateOf({ metadata, ...node }: KubernetesObject): Candidate {
  const { taints = [] } = (node.spec ?? {}) as { taints?: readonly Taint[] };
  const { [changedLabel]: _ours, ...labels } = metadata.labels ?? {};
  return { name: metadata.name, labels, taints };
}
