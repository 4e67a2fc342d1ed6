import type { Standing } from "./evacuation.ts";
import { conditions } from "./names.ts";

/** A condition of a LinstorSatellite without its times, which whoever writes it adds. */
export interface Report {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/**
 * What an evacuation shows on the LinstorSatellite, under the name that piraeus-operator's code uses and under the one
 * that its documentation has. What only a person can end is an Error, whose message upstream begins with that word.
 */
export function evacuationReport({ step, because, stuck }: Standing): readonly Report[] {
  const moved = step === "unmark" || step === "release-terminate" || step === "remove" || step === "done";
  const report: Omit<Report, "type"> =
    moved && !stuck
      ? { status: "True", reason: "Completed", message: because }
      : stuck
        ? { status: "False", reason: "Error", message: `Error: ${because}` }
        : { status: "False", reason: "InProgress", message: because };
  return [conditions.evacuated, conditions.documented].map((type) => ({ type, ...report }));
}

/** The same for the satellite's removal, which begins with its deletion. */
export function removalReport({ step, because, stuck }: Standing): Report {
  const type = conditions.deleted;
  if (step === "done") return { type, status: "True", reason: "Completed", message: because };
  const reason = stuck ? "Error" : "InProgress";
  return { type, status: "False", reason, message: stuck ? `Error: ${because}` : because };
}
