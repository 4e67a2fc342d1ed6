import { Command } from "commander";
import { systemClock } from "../../shared/clock.ts";
import { terminal } from "../../shared/terminal/terminal.ts";
import { type ClusterOptions, withCluster } from "../cluster/cluster-options.ts";
import { openCluster } from "../cluster/open-cluster.ts";
import { type ConsoleOptions, withConsole } from "../console/console-link.ts";
import { codeOf } from "../output/finding.ts";
import { type Format, formatted, withFormat } from "../output/format.ts";
import { findFunctions } from "../rules/installed-functions.ts";
import { loadRules, systemNames } from "../rules/load-systems.ts";
import type { Subcommand } from "../subcommand.ts";
import { printStatus } from "./print.ts";
import { statusOf } from "./status.ts";

interface StatusOptions extends ClusterOptions, ConsoleOptions {
  readonly output?: Format | "wide";
  readonly installNamespace: string;
}

/** `holdfast status` */
export const status: Subcommand = {
  declare: () =>
    withFormat(
      withConsole(
        withCluster(
          new Command("status")
            .summary("say whether Holdfast works, and what to do if not")
            .description(
              "Says for each system which functions are installed and can run, whether events reach them, when the " +
                "last sweep was, which events were dead-lettered, and which objects wait or are stuck. What is bad " +
                "comes with what to do. It writes nothing.",
            )
            .option("--install-namespace <NS>", "where Holdfast is installed", "holdfast"),
        ),
      ),
      ["json", "yaml", "wide"],
    ),
  async run(_, { output, installNamespace, console, ...options }: StatusOptions) {
    const { client } = openCluster(options);
    const [rules, functions] = await Promise.all([loadRules(systemNames()), findFunctions(client, installNamespace)]);
    const answer = await statusOf(client, installNamespace, functions, rules, systemClock.now(), console);
    if (output === "json" || output === "yaml") process.stdout.write(formatted(answer, output));
    else printStatus(answer, systemClock.now(), terminal(process.stdout), output === "wide");
    return codeOf(answer);
  },
};
