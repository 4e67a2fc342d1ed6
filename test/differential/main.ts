import { runCommand } from "../../shared/command/run-command.ts";
import { readOptions, usage } from "./options.ts";
import { compareOutages } from "./outages/compare-outages.ts";
import { listOf, reportOf } from "./report/report.ts";
import { runInProcess } from "./run.ts";
import { drawSequence } from "./sequence/draw.ts";
import { shrink } from "./shrink.ts";
import type { InProcessOptions } from "./worlds/in-process.ts";

const say = (text: string) => process.stdout.write(`${text}\n`);
/** Milliseconds between two lines of progress. */
const progressEvery = 5_000;

async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    say(usage);
    return 0;
  }
  const options = readOptions(args, Math.floor(Math.random() * 1_000_000_000));
  if (options.outages.length > 0) return compareOutages(options, say);
  const { first, runs, admissionPolicy, faults, history, keepsVolumes } = options;
  const worlds = admissionPolicy === undefined ? [false, true] : [admissionPolicy];
  let last = Date.now();
  let [kept, gone, excused] = [0, 0, 0];
  say(`Sequences from ${first} on.`);
  for (let seed = first; seed < first + runs; seed++) {
    const sequence = drawSequence(seed);
    for (const admissionPolicy of worlds) {
      const options = {
        seed,
        admissionPolicy,
        faults,
        keepsVolumes,
        functions: "repository",
      } satisfies InProcessOptions;
      const result = await runInProcess(options, sequence);
      if (result.failures.length > 0) {
        say(`Sequence ${seed} fails; looking for what it does not need to fail ...`);
        say(reportOf(commandFor(options), await shrink(options, sequence, result)));
        return 1;
      }
      kept += result.verdict.kept;
      gone += result.verdict.gone;
      excused += result.verdict.excused.length;
      if (history) say([...listOf(sequence), "", ...result.history, ""].join("\n"));
    }
    if (Date.now() - last < progressEvery) continue;
    last = Date.now();
    say(`at sequence ${seed}`);
  }
  say(
    `All hold. Plain Kubernetes kept ${kept} claims and deleted ${gone}; ` +
      `of those that it kept ${excused} went with their sets in ours, ` +
      "as they should.",
  );
  return 0;
}

/** The command that plays a sequence again, in the world and with the faults that it had. */
function commandFor({ seed, admissionPolicy, faults, keepsVolumes }: InProcessOptions): string {
  const world = admissionPolicy ? "policy" : "no-policy";
  return (
    `npm run differential -- --seed ${seed} --world ` +
    `${world}${keepsVolumes ? " --undelete" : ""}${faults ? "" : " --no-faults"}`
  );
}

await runCommand(() => main(process.argv.slice(2)));
