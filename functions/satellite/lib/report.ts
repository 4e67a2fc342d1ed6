import type { Standing } from "../../../shared/chain/chain.ts";
import type { WantedCondition } from "../../../shared/kubernetes/condition.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { conditions } from "./names.ts";

/**
 * What an evacuation shows on the LinstorSatellite, under the name that piraeus-operator's code uses and under the one
 * that its documentation has; and its removal, which begins with its deletion. What only a person can end is an Error,
 * whose message upstream begins with that word; what cannot be asked is Unknown.
 */
export function evacuationReport(standing: Standing, satellite: KubernetesObject): readonly WantedCondition[] {
  const { step } = standing;
  const isMoved = step === "unmark" || step === "release-terminate" || step === "remove" || step === "done";
  const evacuated = reported(standing, isMoved);
  const removed = isBeingDeleted(satellite)
    ? [{ type: conditions.deleted, ...reported(standing, step === "done") }]
    : [];
  return [...[conditions.evacuated, conditions.documented].map((type) => ({ type, ...evacuated })), ...removed];
}

function reported({ message, stuck, away }: Standing, isCompleted: boolean): Omit<WantedCondition, "type"> {
  if (stuck) return { status: "False", reason: "Error", message: `Error: ${message}` };
  if (away !== undefined) return { status: "Unknown", reason: "Away", message };
  return isCompleted
    ? { status: "True", reason: "Completed", message }
    : { status: "False", reason: "InProgress", message };
}
