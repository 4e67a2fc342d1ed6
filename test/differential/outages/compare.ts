import type { Sequence } from "../../simulation/sequence.ts";
import { type RunResult, type RunSpec, simulate } from "../../simulation/simulate.ts";
import type { System } from "../../simulation/system.ts";
import { type Away, concerns, describeAway } from "./outages-of.ts";

/** A sequence in which nothing is away. */
export interface Reference {
  readonly system: System;
  readonly number: number;
  readonly sequence: Sequence;
  readonly run: RunResult;
}

/** What has come of one outage. */
export interface Compared {
  /** What is wrong, as sentences. */
  readonly failures: readonly string[];
  /** By how much later the last user was done whom it concerns than the outage explains (milliseconds). */
  readonly late: number;
  /** The same of users whom it does not concern: by how much later they were done than without it. */
  readonly held: number;
  readonly run: RunResult;
}

/** So long after the return of what was away everything is made up for: a sweep, and what follows from it. */
const madeUpWithin = 120_000;
/** Two runs of the same operations differ by so much (milliseconds): one may just miss a sweep. */
const asFastAs = 90_000;

/** Plays a sequence in which nothing is away. */
export async function playReference(system: System, number: number): Promise<Reference> {
  const sequence = system.sequence(number);
  return { system, number, sequence, run: await simulate({ scenario: sequence.scenario, number, faults: false }) };
}

/** Plays the same sequence again while something is away for a while, and compares what has come of it. */
export async function compare(
  { system, number, sequence, run: before }: Reference,
  away: Away,
  starters?: RunSpec["starters"],
): Promise<Compared> {
  const again = system.sequence(number);
  const from = sequence.prepared();
  const between = [from, Math.max(from + 10_000, before.acted - 10_000)] as const;
  const run = await simulate({
    ...{ scenario: again.scenario, number, faults: false, outage: { ...away, between } },
    ...(starters ? { starters } : {}),
  });
  if (run.failure) return { failures: [`${run.failure.name}: ${run.failure.message}`], late: 0, held: 0, run };
  const { from: began = 0, to: ended = 0, late: lastWrite = 0 } = run.away ?? {};
  const failures: string[] = [];

  for (const line of missingFrom(run.end, before.end)) failures.push(`Without the outage ${line}; with it, not.`);
  for (const line of missingFrom(before.end, run.end)) failures.push(`With the outage ${line}; without it, not.`);
  const explained = Math.max(ended, lastWrite) - began;
  let [late, held] = [0, 0];
  const turns = new Set(sequence.lanes.filter((lane) => concerns(away, lane)).map(({ turn }) => turn));
  for (const lane of sequence.lanes) {
    const delay = (again.ended.get(lane.name) ?? Number.POSITIVE_INFINITY) - (sequence.ended.get(lane.name) ?? 0);
    if (concerns(away, lane) || (lane.turn && turns.has(lane.turn))) late = Math.max(late, delay - explained);
    else held = Math.max(held, delay);
  }
  const seconds = (ms: number) => `${Math.round(ms / 1000)} seconds`;
  if (late > madeUpWithin)
    failures.push(`What waited for ${describeAway(away)} came ${seconds(late)} later than the outage explains.`);
  if (held > asFastAs)
    failures.push(`A user who does not need ${describeAway(away)} was held up for ${seconds(held)}.`);
  return { failures, late, held, run };
}

/** Lines of `all` that `some` has not, or not as often. */
function missingFrom(some: readonly string[], all: readonly string[]): readonly string[] {
  const left = [...some];
  return all.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
