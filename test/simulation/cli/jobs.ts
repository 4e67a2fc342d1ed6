import type { Point } from "../point.ts";
import { pointsOf } from "../points.ts";
import type { RunSpec } from "../simulate.ts";
import { scenarioNamed } from "../systems.ts";
import type { Options } from "./options.ts";

/** One run as it is sent to a worker. */
export interface Job {
  readonly scenario: string;
  readonly number: number;
  readonly loseAllEvents: boolean;
  readonly outage?: boolean;
  readonly point?: Point;
}

/** The runs that were asked for, one after another. */
export async function* jobsOf({
  scenarios,
  first,
  runs,
  loseAllEvents,
  outages,
  exhaustive,
  point,
}: Options): AsyncGenerator<Job> {
  if (exhaustive) {
    for (const scenario of scenarios)
      for (const point of await pointsOf(scenario, first))
        yield { scenario: scenario.name, number: first, loseAllEvents, point };
    return;
  }
  for (let run = 0; run < runs; run++) {
    const scenario = scenarios[run % scenarios.length];
    // A number stands for one run of each scenario.
    const number = first + Math.floor(run / scenarios.length);
    const more = { ...(outages ? { outage: true } : {}), ...(point ? { point } : {}) };
    if (scenario) yield { scenario: scenario.name, number, loseAllEvents, ...more };
  }
}

/** What to simulate for a job: with faults, unless something happens at a point. */
export function specOf({ scenario, ...job }: Job): RunSpec {
  return { ...job, scenario: scenarioNamed(scenario), faults: job.point === undefined && !job.outage };
}

/** The command that runs a job alone. */
export function commandOf({ scenario, number, loseAllEvents, outage, point }: Job): string {
  const flags = [
    ...(loseAllEvents ? ["--lose-all-events"] : []),
    ...(outage ? ["--outages"] : []),
    ...(point ? [`--point ${point.index}:${point.what.replaceAll(" ", "-")}`] : []),
  ];
  return ["npm run simulate --", `--seed ${number}`, `--scenario ${scenario}`, ...flags].join(" ");
}
