import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import type { Candidate } from "./satellite-wanted.ts";
import type { Taint } from "./toleration.ts";

/** A Node as far as it decides whether it is to have a satellite. */
export function candidateOf({ metadata, ...node }: KubernetesObject): Candidate {
  const { taints = [] } = (node.spec ?? {}) as { taints?: readonly Taint[] };
  return { name: metadata.name, labels: metadata.labels ?? {}, taints };
}
