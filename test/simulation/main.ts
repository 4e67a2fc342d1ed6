import { runCommand } from "../../shared/command/run-command.ts";
import { wrap } from "../../shared/terminal/wrap.ts";
import { type Job, jobsOf, specOf } from "./cli/jobs.ts";
import { type Options, readOptions, usage } from "./cli/options.ts";
import { runAll } from "./cli/pool.ts";
import { reportOf } from "./cli/report.ts";
import type { Ran } from "./cli/run-worker.ts";
import { search } from "./cli/search.ts";
import { simulate } from "./simulate.ts";

const say = (text: string) => process.stdout.write(`${text}\n`);
const script = new URL("./cli/run-worker.ts", import.meta.url);
/** Milliseconds between two lines of progress. */
const progressEvery = 5_000;

async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    process.stdout.write(usage);
    return 0;
  }
  const options = readOptions(args, Math.floor(Math.random() * 1_000_000_000));
  if (options.mutants.length > 0) return search(options, say);
  return options.trace ? show(options) : run(options);
}

async function show(options: Options): Promise<number> {
  const { value: job } = await jobsOf(options).next();
  if (!job) return 0;
  const { failure, trace } = await simulate(specOf(job));
  if (failure) say(await reportOf(job));
  else say([...trace, "", `Run ${job.number} of ${job.scenario} holds.`].join("\n"));
  return failure ? 1 : 0;
}

async function run(options: Options): Promise<number> {
  const began = Date.now();
  let last = began;
  let runs = 0;
  let failed: Job | undefined;
  const pace = () =>
    `${runs} ${runs === 1 ? "run" : "runs"}, ${Math.round((runs * 60_000) / (Date.now() - began || 1))} a minute`;
  // The person who ends it wants to know what it has come to; for a run without an end this is the end.
  process.prependOnceListener("SIGINT", () => {
    say(`${pace()}: ${failed ? "one fails." : "all held so far."}`);
    process.exit(options.runs === Number.POSITIVE_INFINITY && !failed ? 0 : 130);
  });
  const names = options.scenarios.map(({ name }) => name).join(", ");
  say(wrap(`Numbers from ${options.first} on, in ${names}.`, 2, 80));
  await runAll<Job, Ran>(script, jobsOf(options), options.workers, ({ job, failure }) => {
    runs++;
    if (failure) failed = job;
    if (Date.now() - last >= progressEvery) {
      last = Date.now();
      say(`${pace()}, at number ${job.number}`);
    }
    return !failure;
  });
  if (failed) {
    say(`Run ${failed.number} of ${failed.scenario} fails; looking for what it does not need to fail ...`);
    say(await reportOf(failed));
  }
  say(`${pace()}: ${failed ? "one fails." : "all hold."}`);
  return failed ? 1 : 0;
}

await runCommand(() => main(process.argv.slice(2)));
