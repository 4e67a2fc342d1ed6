import { bases, kindOf } from "../../functions/eviction/lib/kinds.ts";
import { approvalKey, conditions, retryKey } from "../../functions/eviction/lib/names.ts";
import { groupOf } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { conditionOf } from "../api/progress.ts";
import type { Action } from "../parts/act.tsx";
import { annotation } from "../parts/annotation.ts";

/** Whether it waits until a person agrees. With EVICTION_APPROVAL=none, what leaves does not. */
const isAsked = (object: KubernetesObject): boolean =>
  conditionOf(object, conditions.converged)?.message?.includes(`${approvalKey}=true`) ?? false;

const isBase = ({ kind }: KubernetesObject) => bases.some((one) => one.kind === kind);

/** Whether a person has agreed to its present eviction. */
const isApproved = ({ metadata }: KubernetesObject): boolean => metadata.annotations?.[approvalKey] === "true";

function annotate(object: KubernetesObject, key: string, value: string | null) {
  const kind = kindOf(object);
  return annotation(kind, `${kind.plural}.${groupOf(kind)}`, object.metadata, key, value);
}

export const approve = (object: KubernetesObject): Action => ({
  label: "Approve",
  does: isBase(object)
    ? `This agrees to the removal of ${object.kind} ${object.metadata.name}. First, the compute node and the agents ` +
      "that need it leave the Node."
    : `This agrees to the eviction of ${object.kind} ${object.metadata.name}. What it serves moves to others, and it ` +
      "is removed when nothing is left.",
  ...annotate(object, approvalKey, "true"),
  isDanger: true,
});

export const abort = (object: KubernetesObject): Action => ({
  label: "Abort",
  does: isBase(object)
    ? `This withdraws the agreement to the removal of ${object.kind} ${object.metadata.name}. If the maintenance ` +
      "label of its Node is already True, this changes nothing: the removal goes on."
    : `This withdraws the agreement to the eviction of ${object.kind} ${object.metadata.name}. No new move begins, ` +
      "those that are open end, and what Holdfast has disabled is enabled again.",
  ...annotate(object, approvalKey, null),
});

export const retry = (object: KubernetesObject): Action => ({
  label: "Try again",
  does: `This tries again to move what could not be moved from ${object.kind} ${object.metadata.name}.`,
  ...annotate(object, retryKey, "true"),
});

/** What a person may do about it now. */
export function actionsFor(object: KubernetesObject): readonly Action[] {
  if (isApproved(object)) return [abort(object), ...(isBase(object) ? [] : [retry(object)])];
  return isAsked(object) ? [approve(object)] : [];
}
