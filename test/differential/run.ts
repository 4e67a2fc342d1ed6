import { outcomeOf } from "../../local/time/testing/outcome-of.ts";
import { judge, type Verdict } from "./judge/judge.ts";
import { judgeVolumes } from "./judge/volumes.ts";
import { play, type World } from "./play/play.ts";
import { historyOf } from "./report/history.ts";
import type { Operation } from "./sequence/operation.ts";
import { type InProcessOptions, startInProcess } from "./worlds/in-process.ts";
import type { Stalls } from "./worlds/stalls.ts";

/** What came of a sequence. */
export interface Result {
  /** What is wrong, as sentences; empty when the law holds. */
  readonly failures: readonly string[];
  readonly verdict: Verdict;
  /** How many volumes of ours have outlived a claim. */
  readonly outlived: number;
  /** What happened, for people. */
  readonly history: readonly string[];
  /** The faults that struck. */
  readonly struck: readonly string[];
}

/** Milliseconds of virtual time within which every sequence is over. */
const atMost = 24 * 3_600_000;

/** Plays a sequence in this process. The same options and sequence give the same run. */
export async function runInProcess(
  options: InProcessOptions,
  sequence: readonly Operation[],
  { hasty = false, disturb = () => {} }: { hasty?: boolean; disturb?: (stalls: Stalls) => void } = {},
): Promise<Result> {
  const world = await startInProcess(options);
  disturb(world.stalls);
  try {
    const result = await outcomeOf(world.clock, playAndJudge(world, sequence, hasty), atMost);
    const { strays, struck } = world;
    const strayed = strays.map(
      ({ object, by }) => `${by.name} wrote ${object.kind} ${object.metadata.name}, whose namespace has no policy.`,
    );
    return { ...result, struck, failures: [...result.failures, ...strayed] };
  } finally {
    await world.stop();
  }
}

/** Plays a sequence in a world, and judges what has become of the claims. */
export async function playAndJudge(
  world: World,
  sequence: readonly Operation[],
  hasty = false,
): Promise<Omit<Result, "struck">> {
  const played = await play(world, sequence, hasty);
  const sides = { plain: world.plain.changes, ours: world.ours.changes };
  const verdict = judge(sides, played);
  const { lost, outlived } = judgeVolumes(world);
  const failures = [...verdict.lost, ...lost, ...(played.stuck ? [played.stuck] : [])];
  return { failures, verdict, outlived, history: historyOf(world.history, sides) };
}
