import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import type { Taint } from "../../../../shared/kubernetes/toleration.ts";
import { changedLabel } from "../names.ts";
import type { Candidate } from "./satellite-wanted.ts";

/** A Node as far as it decides whether it is to have a satellite. */
export function candidateOf({ metadata, ...node }: KubernetesObject): Candidate {
  const { taints = [] } = (node.spec ?? {}) as { taints?: readonly Taint[] };
  const { [changedLabel]: _ours, ...labels } = metadata.labels ?? {};
  return { name: metadata.name, labels, taints };
}
