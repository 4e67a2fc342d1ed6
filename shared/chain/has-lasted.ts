import type { KubernetesObject } from "../kubernetes/object.ts";
import { readProgress } from "../progress.ts";

/** The step in which a rule leaves an object that only just cannot go on, and the one that it has after `patience`. */
export const halting = "halting";
export const stuck = "stuck";

/**
 * Whether an object that cannot go on has been kept for `patience` milliseconds, so that a person is called for. What
 * keeps it for less may pass by itself: a controller that starts, a peer that connects again. Until then the rule
 * leaves the object in the step {@link halting}.
 */
export function hasLasted(object: KubernetesObject, ruleName: string, now: number, patience: number): boolean {
  const { step, since = "" } = readProgress(object, ruleName) ?? {};
  // A clock that was set back does not begin the wait again.
  return patience === 0 || step === stuck || (step === halting && Math.abs(now - Date.parse(since)) >= patience);
}
