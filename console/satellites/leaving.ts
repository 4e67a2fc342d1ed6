import { readRecord } from "../../functions/satellite/lib/record.ts";
import { conditions, type DeletionPolicy, policyOf } from "../../functions/satellite/lib/satellite.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { conditionOf, lastWords } from "../api/progress.ts";
import { nineSteps, stepNow } from "./steps.ts";

/** How a satellite leaves, and how far it is. */
export interface Leaving {
  readonly label: string;
  /** What becomes of its data, where it is not evacuated. */
  readonly what?: string;
  /** Those of an evacuation; another policy has none. */
  readonly steps: typeof nineSteps | readonly [];
  /** The place of the present step. */
  readonly now: number;
  /** What a function has said last, and when, RFC 3339. */
  readonly message: string | undefined;
  readonly since: string | undefined;
  readonly trouble: "error" | "away" | undefined;
}

/** The rule of a policy without an evacuation, and what becomes of the data. */
const others: Readonly<Record<Exclude<DeletionPolicy, "Evacuate">, readonly [rule: string, what: string]>> = {
  Retain: ["satellite/retain", "Its policy is Retain: its node and its data stay in LINSTOR."],
  Delete: [
    "satellite/remove-lost",
    "Its policy is Delete: its data is given up as soon as LINSTOR has lost the connection.",
  ],
};

/** Whether a satellite that leaves counts for the limit of evacuations: one that has begun does under any policy. */
export const takesSlot = (satellite: KubernetesObject & { readonly spec?: object }): boolean =>
  policyOf(satellite.spec) === "Evacuate" || readRecord(satellite) !== undefined;

/** What is written down on a satellite that leaves, as its policy is now. */
export function leavingOf(satellite: KubernetesObject & { readonly spec?: object }): Leaving {
  const { name } = satellite.metadata;
  const policy = policyOf(satellite.spec);
  const words = lastWords(satellite);
  const { reason, message, lastTransitionTime } = conditionOf(satellite, conditions.evacuated) ?? {};
  if (policy === "Evacuate")
    return {
      label: `Evacuation of ${name}`,
      steps: nineSteps,
      now: stepNow(words, reason),
      message,
      since: lastTransitionTime,
      trouble: reason === "Error" ? "error" : reason === "Away" ? "away" : undefined,
    };
  const [rule, what] = others[policy];
  const word = words.find((one) => one.rule === rule);
  // Any other condition is that of an evacuation, from before the policy was changed.
  const isGivenUp = !word && policy === "Retain" && reason === "GivenUp";
  return {
    label: `Removal of ${name}`,
    what,
    steps: [],
    now: 0,
    message: isGivenUp ? message : word?.because,
    since: isGivenUp ? lastTransitionTime : word?.since,
    trouble: word?.step === "stuck" ? "error" : undefined,
  };
}
