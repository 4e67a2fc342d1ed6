import { systemClock } from "../../shared/clock.ts";
import { runCommand } from "../../shared/command/run-command.ts";
import { findDeadLetter } from "./find-dead-letter.ts";
import { loadRule } from "./load-rule.ts";
import { openCluster } from "./open-cluster.ts";
import { help, readReplayOptions } from "./options.ts";
import { replay } from "./replay.ts";

async function main(args: readonly string[]): Promise<number> {
  const options = readReplayOptions(args);
  if (!options) {
    process.stdout.write(help);
    return 0;
  }
  const { act, namespace } = options;
  const client = openCluster(options.kubeconfig);
  const saved = await findDeadLetter(options.saved, client, namespace);
  const rule = await loadRule(options.rule ?? saved.destination);
  for await (const line of replay(rule, saved, { client, clock: systemClock, act, namespace })) console.log(line);
  return 0;
}

await runCommand(() => main(process.argv.slice(2)));
