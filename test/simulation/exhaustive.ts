import type { Scenario } from "./scenario.ts";
import { type Point, type RunResult, type RunSpec, simulate } from "./simulate.ts";

/** What is tried at every write: its process dies before it is sent, or between commit and answer; a conflict; a refusal. */
const atWrites = ["die before", "die after", "conflict", "refused"] as const;
/** What is tried at every read. */
const atReads = ["second instance", "refused"] as const;

/** Every point of a scenario, found by a run in which nothing goes wrong; `rule` narrows it to the requests of one function. */
export async function pointsOf(scenario: Scenario, number: number, rule?: string): Promise<readonly Point[]> {
  const { requests } = await simulate({ scenario, number, rough: false });
  return requests.flatMap((request, index) =>
    rule === undefined || request.rule === rule
      ? (request.write ? atWrites : atReads).map((what): Point => ({ index, what }))
      : [],
  );
}

/** Runs a scenario once for each of its points. A process that dies and a sweep that is never needed: brokers try again. */
export async function exhaust(
  spec: Omit<RunSpec, "point" | "rough">,
  points: readonly Point[],
  onFailure: (point: Point, result: RunResult) => void,
): Promise<void> {
  for (const point of points) {
    const result = await simulate({ ...spec, rough: false, point });
    if (result.failure) onFailure(point, result);
  }
}
