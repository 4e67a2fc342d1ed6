import { parseFlags, wholeNumber } from "../../../shared/command/parse-flags.ts";
import { UserError } from "../../../shared/command/user-error.ts";
import { wrap } from "../../../shared/terminal/wrap.ts";
import type { Mutant } from "../mutants/mutant.ts";
import { type Point, whats } from "../point.ts";
import type { Scenario } from "../scenario.ts";
import { mutants, scenarioNamed, scenarios, systemNamed, systems } from "../systems.ts";

/** What `npm run simulate` was asked for. */
export interface Options {
  readonly scenarios: readonly Scenario[];
  /** The number of the first run. */
  readonly first: number;
  readonly runs: number;
  readonly loseAllEvents: boolean;
  /** One outage in each run instead of faults. */
  readonly outages: boolean;
  readonly exhaustive: boolean;
  /** Only this point of the scenario. */
  readonly point?: Point;
  /** Look for these instead of running the repository's own functions. */
  readonly mutants: readonly Mutant[];
  /** Threads that run at once. */
  readonly workers: number;
  /** Print the whole trace of the run even if it does not fail. */
  readonly trace: boolean;
}

const names = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name).join(", ");

const listed = (title: string, all: readonly { readonly name: string }[]) =>
  `${title}:\n  ${wrap(`${names(all)}.`, 2, 80)}\n`;

export const usage = `Runs the functions in a whole cluster on virtual time, with faults, crashes and
a workload of users, and checks after every write that storage is safe.

  npm run simulate [-- options]

  --runs N            run N times (default: 1000), in every scenario in turn
  --seed N            begin with number N; alone, run that number once in each
                      scenario, and show its trace where it is one
  --scenario NAME     only this scenario
  --system NAME       only scenarios of this system
  --lose-all-events   lose every event that a source emits: the sweep must do
                      everything
  --outages           instead of faults: one thing that functions need is away for
                      up to four minutes, and comes back
  --exhaustive        instead: die, conflict, be refused or get company at every
                      single request
  --point INDEX:WHAT  with --seed and --scenario: put this fault at that request,
                      as --exhaustive has reported it
  --mutant NAME       instead: look for a mutant, a function with a known fault, or for
                      "all" of them, from number 1 on
  --forever           until something fails
  --workers N         threads at once (default: 2)
  --help              this text

${listed("Systems", systems)}
${listed("Scenarios", scenarios)}
${listed("Mutants", mutants)}`;

/** Reads a command line; `fresh` is where runs begin when no number is given. Throws a {@link UserError}. */
export function readOptions(args: readonly string[], fresh: number): Options {
  const values = parse(args);
  const { seed, runs, forever = false, exhaustive = false, outages = false, workers } = values;
  if (forever && runs !== undefined) throw new UserError("--forever and --runs exclude each other.");
  if (exhaustive && (forever || runs !== undefined))
    throw new UserError("--exhaustive has as many runs as there are points; leave --runs and --forever out.");
  if (outages && (exhaustive || values["lose-all-events"] || values.point !== undefined))
    throw new UserError("--outages has nothing else go wrong; leave --exhaustive, --lose-all-events and --point out.");
  const sought = values.mutant === undefined ? [] : chosenMutants(values);
  const chosen = chosenScenarios(values);
  if (values.point !== undefined && (seed === undefined || values.scenario === undefined))
    throw new UserError("--point needs --seed and --scenario: it is one request of one run.");
  const single = seed !== undefined && runs === undefined && !forever && !exhaustive;
  const asked = runs === undefined ? (single ? chosen.length : 1_000) : wholeNumber("--runs", runs, 1);
  return {
    scenarios: chosen,
    first: seed === undefined ? (sought.length > 0 ? 1 : fresh) : wholeNumber("--seed", seed, 0),
    runs: forever ? Number.POSITIVE_INFINITY : asked,
    loseAllEvents: values["lose-all-events"] ?? false,
    outages,
    exhaustive,
    ...(values.point === undefined ? {} : { point: pointOf(values.point) }),
    mutants: sought,
    workers: workers === undefined ? 2 : wholeNumber("--workers", workers, 1),
    trace: single && chosen.length === 1,
  };
}

type Values = ReturnType<typeof parse>;

function parse(args: readonly string[]) {
  return parseFlags("npm run simulate", {
    args: [...args],
    options: {
      seed: { type: "string" },
      runs: { type: "string" },
      scenario: { type: "string" },
      system: { type: "string" },
      workers: { type: "string" },
      point: { type: "string" },
      mutant: { type: "string" },
      "lose-all-events": { type: "boolean" },
      exhaustive: { type: "boolean" },
      outages: { type: "boolean" },
      forever: { type: "boolean" },
    },
  }).values;
}

function chosenScenarios({ scenario, system }: Values): readonly Scenario[] {
  if (scenario !== undefined && system !== undefined)
    throw new UserError("--scenario names one of one system already; leave --system out.");
  if (scenario !== undefined) return [orComplaint(() => scenarioNamed(scenario))];
  return system === undefined ? scenarios : orComplaint(() => systemNamed(system)).scenarios;
}

function chosenMutants(values: Values): readonly Mutant[] {
  const { mutant: name, system } = values;
  for (const other of ["scenario", "runs", "exhaustive", "forever", "lose-all-events", "outages", "point"] as const)
    if (values[other] !== undefined)
      throw new UserError(`--mutant says itself where it is looked for; leave --${other} out.`);
  const all = system === undefined ? mutants : orComplaint(() => systemNamed(system)).mutants;
  const found = name === "all" ? all : all.filter((one) => one.name === name);
  if (found.length > 0) return found;
  throw new UserError(`No mutant is called ${name}. There are all, ${names(all)}.`);
}

function pointOf(text: string): Point {
  const [index = "", what] = text.split(":");
  const known = whats.find((one) => one === what?.replaceAll("-", " "));
  if (!known || !/^\d+$/.test(index))
    throw new UserError(`--point takes a number and one of ${whats.join(", ")}, as in 17:die-after.`);
  return { index: Number(index), what: known };
}

function orComplaint<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UserError((error as Error).message);
  }
}
