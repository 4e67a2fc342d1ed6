import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { isOurs, leaving, type Truth } from "../invariants/invariant.ts";
import { hasEnded, inTree, names, type PodLike } from "../world/may-run.ts";

/** What an end is judged by. */
export interface EndTruth extends Truth {
  /** Whether anything befell a process or a request of ours, so that what comes after a write may not have been done. */
  readonly disturbed: boolean;
}

/** Something that must have come about in the end. Answers what has not, or `undefined`. */
export interface End {
  readonly name: string;
  check(truth: EndTruth): string | undefined;
}

/** The annotation in which release says who holds a claim. */
export const progress = "holdfast.dev/pvc-protection.release";

export const environmentOf = ({ scenario }: Truth, service: string): Readonly<Record<string, string>> =>
  scenario.setting.environment[service] ?? {};

/** The finalizer that is ours in the run's setting. */
export const ours = ({ scenario }: Truth) => scenario.setting.finalizer ?? "holdfast.dev/pvc-protection";

export const claimsOf = ({ chronicle }: Truth) => chronicle.live("PersistentVolumeClaim");

export const has = ({ metadata }: KubernetesObject, finalizer: string) =>
  metadata.finalizers?.includes(finalizer) ?? false;

/** Whether a bound pod uses a claim, as the setting's mode has it. */
export function isUsed(
  truth: Truth,
  claim: KubernetesObject,
  mode = environmentOf(truth, "pvc-protection-release").MODE,
) {
  return truth.chronicle.live("Pod").some((object) => {
    const pod = object as PodLike;
    return pod.spec.nodeName !== undefined && names(pod, claim) && !(mode === "document" && hasEnded(pod));
  });
}

/** Whether somebody else has taken a finalizer, ours if none is named, off this claim while it stayed. */
export function wasStripped(truth: Truth, uid: string, finalizer = ours(truth)): boolean {
  return truth.changes.some(
    (change) =>
      !isOurs(change) && change.object.metadata.uid === uid && change.after && leaving(change).includes(finalizer),
  );
}

export { inTree };
