import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readProgress } from "../../../shared/progress.ts";

/**
 * When to look again at an object that stands at a step: at the time that is written down there already, if that is
 * still to come, else when `pause` is over. A time that moved with each look would be written with each look, and every
 * write comes back as an event. What is farther away than the pause was written by a clock that was ahead, and counts
 * for nothing. All in milliseconds.
 */
export function dueIn(pause: number, object: KubernetesObject, ruleName: string, step: string, now: number): number {
  const progress = readProgress(object, ruleName);
  const written = progress?.step === step ? Date.parse(progress.next ?? "") : Number.NaN;
  return written > now && written <= now + pause ? written : now + pause;
}
