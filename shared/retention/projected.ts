import type { KubernetesObject } from "../kubernetes/object.ts";
import { readProgress } from "../progress.ts";
import type { Policy } from "./policy.ts";

/** The rule that writes the policy onto the set's field, and on the set what became of it. */
export const projectingRule = "pvc-retention/project";

/** Its steps, as its progress on the set names them. */
export const projected = {
  /** The field is what the policy wants, or the server has none. */
  inForce: "in-force",
  /** The policy cannot be read, and keeps everything. */
  unreadable: "unreadable",
  /** Another set makes claims of the same names. */
  contested: "contested",
  /** Somebody else holds the field at another value. */
  held: "held",
  /** Somebody takes the value back each time. */
  foughtOver: "fought-over",
  /** There is no policy any more, and nothing of the field is ours. */
  givenBack: "given-back",
} as const;

export type Projected = (typeof projected)[keyof typeof projected];

/** The policy as the rule notes it: its name, and the delay where there is one. */
export function describePolicy({ name, grace }: Policy): { policy: string; grace?: string } {
  return { policy: name, ...(grace > 0 ? { grace: `${grace / 1000}s` } : {}) };
}

/** How far the rule has come with a set; `undefined` when it has written nothing there. */
export function projectedStep(set: KubernetesObject): string | undefined {
  return readProgress(set, projectingRule)?.step;
}
