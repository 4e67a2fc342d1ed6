import type { KubernetesObject } from "../kubernetes/object.ts";
import { readProgress } from "../progress.ts";
import { graceKey, type Policy, policyKey, readPolicy } from "./policy.ts";
import { projected, projectingRule } from "./projected.ts";

/** Where the rule could read the policy, whatever became of the field. */
const readable: readonly string[] = [projected.inForce, projected.contested, projected.held, projected.foughtOver];

/**
 * The policy that a set follows by what an event shows of it: what `project` has noted there, which looks at the namespace, too, and
 * whose notes come with an event of their own. `undefined` where the set says something else than the note by now, or there is none:
 * only a look can tell then. What was taken off the set is noted a moment later. Good for leaving an event alone that changes
 * nothing, as most do; no write rests on it.
 */
export function notedPolicy(set: KubernetesObject): Policy | undefined {
  const note = readProgress(set, projectingRule);
  if (!note || !readable.includes(note.step) || typeof note.policy !== "string") return undefined;
  const { [policyKey]: policy, [graceKey]: delay } = set.metadata.annotations ?? {};
  const noted = read(set, note.policy, note.grace);
  if (!noted || (policy !== undefined && policy !== noted.name)) return undefined;
  return delay === undefined || read(set, noted.name, delay)?.grace === noted.grace ? noted : undefined;
}

/** `undefined` when either cannot be read. */
function read(set: KubernetesObject, policy: string, delay: unknown): Policy | undefined {
  const annotations = { [policyKey]: policy, ...(typeof delay === "string" && { [graceKey]: delay }) };
  const found = readPolicy({ ...set, metadata: { ...set.metadata, annotations } }, undefined);
  return found?.faults.length === 0 ? found : undefined;
}
