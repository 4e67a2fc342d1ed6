import { parseArgs } from "node:util";
import type { Scenario } from "../scenario.ts";
import { scenarioNamed, scenarios } from "../systems.ts";

/** What `npm run simulate` was asked for. */
export interface Options {
  readonly scenarios: readonly Scenario[];
  /** The number of the first run; each further run has the next. */
  readonly first: number;
  readonly runs: number;
  readonly loseAllEvents: boolean;
  readonly exhaustive: boolean;
  /** Processes that run at once. */
  readonly workers: number;
  /** Print the whole story of the run even if it does not fail. */
  readonly story: boolean;
}

/** A command line that cannot be obeyed. Its message says what to write instead. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export const usage = `npm run simulate -- [options]

  --runs N            run N times (1000 by default), in every scenario in turn
  --seed N            begin with number N; alone, run that number once in each scenario and tell its story
  --scenario NAME     only this scenario
  --lose-all-events   lose every event that a source emits: the sweep must do everything
  --exhaustive        instead: die, conflict, be refused or get company at every single request
  --forever           until something fails
  --workers N         processes at once (2 by default)

Scenarios: ${scenarios.map(({ name }) => name).join(", ")}.
`;

/** Reads a command line; `fresh` is where runs begin when no number is given. Throws {@link UsageError}. */
export function readOptions(args: readonly string[], fresh: number): Options {
  const values = parse(args);
  const { seed, runs, forever = false, scenario, workers, exhaustive = false } = values;
  if (forever && runs !== undefined) throw new UsageError("--forever and --runs exclude each other.");
  if (exhaustive && (forever || runs !== undefined))
    throw new UsageError("--exhaustive has as many runs as there are points; leave --runs and --forever out.");
  const first = seed === undefined ? fresh : wholeNumber("--seed", seed, 0);
  const chosen = scenario === undefined ? scenarios : [named(scenario)];
  const single = seed !== undefined && runs === undefined && !forever && !exhaustive;
  const asked = runs === undefined ? (single ? chosen.length : 1_000) : wholeNumber("--runs", runs, 1);
  return {
    scenarios: chosen,
    first,
    runs: forever ? Number.POSITIVE_INFINITY : asked,
    loseAllEvents: values["lose-all-events"] ?? false,
    exhaustive,
    workers: workers === undefined ? 2 : wholeNumber("--workers", workers, 1),
    story: single && chosen.length === 1,
  };
}

function parse(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        seed: { type: "string" },
        runs: { type: "string" },
        scenario: { type: "string" },
        workers: { type: "string" },
        "lose-all-events": { type: "boolean" },
        exhaustive: { type: "boolean" },
        forever: { type: "boolean" },
      },
    });
    return values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function named(name: string): Scenario {
  try {
    return scenarioNamed(name);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function wholeNumber(flag: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least && /^\d+$/.test(text)) return value;
  throw new UsageError(`${flag} takes a whole number of ${least} or more, not ${JSON.stringify(text)}.`);
}
