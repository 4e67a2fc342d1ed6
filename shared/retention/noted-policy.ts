import type { KubernetesObject } from "../kubernetes/object.ts";
import { readProgress } from "../progress.ts";
import { type Policy, readPolicy } from "./policy.ts";
import { describePolicy, projected, projectingRule } from "./projected.ts";

/** Where the rule could read the policy, whatever became of the field. */
const readable: readonly string[] = [projected.inForce, projected.contested, projected.held, projected.foughtOver];

/** The version of the note that this understands in full; in a newer one there may be more to know. */
const version = 1;

/**
 * The policy of a set, by what an event shows of it: one that the set names itself, and that `project` has noted there as what is in force;
 * it looks at the namespace, too, and a note that changes comes with an event of its own. `undefined` in all other cases: only a look can
 * tell then. Good for leaving an event alone that changes nothing, as most do; no write rests on it.
 */
export function notedPolicy(set: KubernetesObject): Policy | undefined {
  const own = readPolicy(set, undefined);
  if (!own || own.faults.length > 0) return undefined;
  const note = readProgress(set, projectingRule);
  if (!note || note.v !== version || !readable.includes(note.step)) return undefined;
  const { policy, grace } = describePolicy(own);
  return note.policy === policy && note.grace === grace ? own : undefined;
}
