import { shrink } from "../shrink.ts";
import { simulate } from "../simulate.ts";
import { commandOf, type Job, specOf } from "./jobs.ts";

/** The trace of a failing run in its shortest form, with the command that runs it again. */
export async function reportOf(job: Job): Promise<string> {
  const spec = specOf(job);
  const first = await simulate(spec);
  if (!first.failure) return `Run ${job.number} of ${job.scenario} does not fail when it is run alone.`;
  const { result, without, runs } = await shrink(spec, first);
  const point = job.point ? [`At request ${job.point.index}: ${job.point.what}.`] : [];
  const shorter =
    without.size > 0
      ? [
          `Of ${first.struck.length} faults ${result.struck.length} are needed (found in ${runs} runs): ` +
            `${result.struck.join(", ") || "none"}.`,
        ]
      : [];
  return [
    `Run ${job.number} of ${job.scenario} fails. ${first.failure.name}: ${first.failure.message}`,
    ...point,
    ...shorter,
    "",
    ...result.trace,
    "",
    `Again: ${commandOf(job)}`,
  ].join("\n");
}
