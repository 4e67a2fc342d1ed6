import { type Condition, conditionOf } from "../../controllers/objects/condition.ts";

/** What one condition says. */
export interface Verdict {
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
}

export const holds: Verdict = { status: "True" };
export const fails = (reason: string, message: string): Verdict => ({
  status: "False",
  ...(reason ? { reason } : {}),
  message,
});

/**
 * The conditions of a Knative object, sorted by type, with `Ready` summed up from them: true when all are, otherwise
 * with the reason of the first that is false, or else unknown. `lastTransitionTime` moves only with the status; `now`
 * is a timestamp.
 */
export function summedUp(
  before: readonly Condition[] | undefined,
  verdicts: Readonly<Record<string, Verdict>>,
  now: string,
): Condition[] {
  const all = Object.values(verdicts);
  const worst = all.find(({ status }) => status === "False") ?? all.find(({ status }) => status === "Unknown");
  return conditionsFrom(before, { ...verdicts, Ready: worst ?? holds }, now);
}

/** The conditions that `verdicts` say, and no others. */
export function conditionsFrom(
  before: readonly Condition[] | undefined,
  verdicts: Readonly<Record<string, Verdict>>,
  now: string,
): Condition[] {
  return Object.entries(verdicts)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([type, verdict]) => {
      const old = conditionOf(before, type);
      const since = old?.status === verdict.status ? (old.lastTransitionTime ?? now) : now;
      return { lastTransitionTime: since, ...verdict, type };
    });
}
