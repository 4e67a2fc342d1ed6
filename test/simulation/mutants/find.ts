import { pointsOf } from "../points.ts";
import { type Failure, type RunSpec, simulate } from "../simulate.ts";
import { scenarioNamed } from "../systems.ts";
import type { Mutant } from "./mutant.ts";

/** How a mutant function was found. */
export interface Finding {
  /** How many runs it took. */
  readonly runs: number;
  readonly scenario: string;
  readonly number: number;
  readonly failure: Failure;
  /** The trace of the run that failed. */
  readonly trace: readonly string[];
}

/** Runs a mutant function in its scenarios, from number `from` on, until it is found or its runs are used up. */
export async function find(mutant: Mutant, from = 1): Promise<Finding | undefined> {
  const { start, rule, within } = mutant;
  let runs = 0;
  for await (const spec of specsOf(mutant, from)) {
    if (++runs > within) return undefined;
    const { failure, trace } = await simulate({ ...spec, starters: { [rule]: start } });
    if (failure) return { runs, scenario: spec.scenario.name, number: spec.number, failure, trace };
  }
  return undefined;
}

async function* specsOf(
  { scenarios, by = "runs with faults", rule, within }: Mutant,
  from: number,
): AsyncGenerator<RunSpec> {
  for (let run = 0; run < within; run++) {
    const scenario = scenarioNamed(scenarios[run % scenarios.length] ?? "");
    const number = from + run;
    if (typeof by === "object") yield { scenario, number, faults: false, ...by };
    else if (by === "outages") yield { scenario, number, faults: false, outage: true };
    else if (by !== "points") yield { scenario, number, faults: by === "runs with faults" && run >= scenarios.length };
    else for (const point of await pointsOf(scenario, number, rule)) yield { scenario, number, faults: false, point };
  }
}
