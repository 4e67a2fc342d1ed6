import type { Point } from "./point.ts";
import type { Scenario } from "./scenario.ts";
import { simulate } from "./simulate.ts";

const atWrites = ["die before", "die after", "conflict", "refused"] as const;
const atReads = ["die before", "second instance", "refused"] as const;

/**
 * Every point of a scenario, found by a run in which nothing goes wrong; `rule` narrows it to the requests of one
 * function.
 */
export async function pointsOf(scenario: Scenario, number: number, rule?: string): Promise<readonly Point[]> {
  const { requests } = await simulate({ scenario, number, faults: false });
  return requests.flatMap((request, index) =>
    rule === undefined || request.rule === rule
      ? (request.write ? atWrites : atReads).map((what): Point => ({ index, what }))
      : [],
  );
}
