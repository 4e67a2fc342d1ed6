import type { Scenario } from "./scenario.ts";
import { type Point, simulate } from "./simulate.ts";

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
