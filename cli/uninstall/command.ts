import { Command } from "commander";
import { systemClock } from "../../shared/clock.ts";
import { ask } from "../../shared/command/ask.ts";
import { UserError } from "../../shared/command/user-error.ts";
import { terminal } from "../../shared/terminal/terminal.ts";
import { wrap } from "../../shared/terminal/wrap.ts";
import { type ClusterOptions, withCluster } from "../cluster/cluster-options.ts";
import { openCluster } from "../cluster/open-cluster.ts";
import { exitCode } from "../exit-code.ts";
import { codeOf } from "../output/finding.ts";
import { type Format, formatted, withFormat } from "../output/format.ts";
import { definitionNames, loadRules, systemNames } from "../rules/load-systems.ts";
import type { Subcommand } from "../subcommand.ts";
import { checkBefore, printCheck } from "./check.ts";
import { uninstall as takeOff } from "./uninstall.ts";

interface UninstallOptions extends ClusterOptions {
  readonly dryRun?: boolean;
  readonly check?: boolean;
  readonly yes?: boolean;
  readonly leaveUnfinished?: boolean;
  readonly finalizer?: readonly string[];
  readonly output?: Format;
}

/** `holdfast uninstall` */
export const uninstall: Subcommand = {
  declare: () =>
    withFormat(
      withCluster(
        new Command("uninstall")
          .summary("take Holdfast, or one system, off a cluster")
          .description(
            "Removes Holdfast from a cluster, in an order that leaves no object stuck. It says what it is going to " +
              "do, and what stays, and asks before it begins. You can run it again, also if the functions are " +
              "gone already.",
          )
          .argument("[SYSTEM...]", "only these systems, such as pvc-retention; without it all")
          .option(
            "--check",
            "say what holds objects, what stays, and in which order to go; exit 1 if anything is in the way",
          )
          .option("--dry-run", "say what would be done, and do nothing")
          .option("--yes", "do not ask")
          .option(
            "--leave-unfinished",
            "begin although a Volume, a satellite or a resource of eviction is being deleted, evacuated or evicted, " +
              "which then waits until Holdfast is installed again",
          )
          .option(
            "--finalizer <NAME>",
            "a finalizer that the setting FINALIZER named, if the functions are gone already; may be repeated",
            (name: string, before: readonly string[] = []) => [...before, name],
          ),
      ),
    ),
  async run(systems, options: UninstallOptions) {
    const known = systemNames();
    const unknown = systems.find((system) => !known.includes(system));
    if (unknown) throw new UserError(`There is no system ${unknown}; there are ${known.join(", ")}.`);
    const {
      dryRun = false,
      check = false,
      yes = false,
      leaveUnfinished = false,
      finalizer: finalizers = [],
      output,
      ...cluster
    } = options;
    if (output && !check) throw new UserError("-o works only with --check: an uninstall says each step as it goes.");
    const chosen = systems.length > 0 ? systems : known;
    const [rules, definitions] = await Promise.all([loadRules(chosen), definitionNames(chosen)]);
    const { client } = openCluster(cluster);
    const out = terminal(process.stdout);
    const mayGoOn = async () => {
      if (!yes && !process.stdin.isTTY)
        throw new UserError("There is no one to ask at this terminal: give --yes to go on.");
      return yes || ask("Go on?");
    };
    const say = (sentence: string) => out.print(wrap(sentence, 2, out.width));
    const tools = { client, clock: systemClock, say, mayGoOn };
    if (check) {
      const answer = await checkBefore(client, { systems, rules, definitions, finalizers });
      if (output) process.stdout.write(formatted(answer, output));
      else printCheck(answer, out);
      return codeOf(answer);
    }
    await takeOff(tools, { systems, rules, definitions, dryRun, leaveUnfinished, finalizers });
    return exitCode.good;
  },
};
