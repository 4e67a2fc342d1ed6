import { Command } from "commander";
import { systemClock } from "../../shared/clock.ts";
import { terminal } from "../../shared/terminal/terminal.ts";
import { wrap } from "../../shared/terminal/wrap.ts";
import { type ClusterOptions, withCluster } from "../cluster/cluster-options.ts";
import { openCluster } from "../cluster/open-cluster.ts";
import { exitCode } from "../exit-code.ts";
import { loadRule } from "../rules/load-systems.ts";
import type { Subcommand } from "../subcommand.ts";
import { findDeadLetter } from "./find-dead-letter.ts";
import { replay as replayEvent } from "./replay.ts";

interface ReplayOptions extends ClusterOptions {
  readonly rule?: string;
  readonly act?: boolean;
  readonly defaults?: boolean;
  readonly namespace: string;
}

/** `holdfast replay` */
export const replay: Subcommand = {
  declare: () =>
    withCluster(
      new Command("replay")
        .summary("give a dead-lettered event to its rule again")
        .description(
          "Gives a dead-lettered event to its rule again and prints what the rule decides. Without --act nothing is " +
            "written.",
        )
        .argument("<EVENT>", "a file, or the name of an event in the ConfigMap holdfast-dead-letters")
        .option("--rule <SYSTEM/RULE>", "another rule than the one that the event was meant for")
        .option("--act", "carry the decisions out")
        .option("--defaults", "if the function is not installed, use its default settings")
        .option("-n, --namespace <NS>", "where Holdfast is installed", "holdfast"),
    ),
  async run([source = ""], { rule: chosen, act = false, defaults = false, namespace, ...options }: ReplayOptions) {
    const { client } = openCluster(options);
    const saved = await findDeadLetter(source, client, namespace);
    const rule = await loadRule(chosen ?? saved.destination);
    const out = terminal(process.stdout);
    for await (const line of replayEvent(rule, saved, { client, clock: systemClock, act, defaults, namespace }))
      out.print(wrap(line, 2, out.width));
    return exitCode.good;
  },
};
