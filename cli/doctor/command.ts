import { writeFileSync } from "node:fs";
import { Command } from "commander";
import { systemClock } from "../../shared/clock.ts";
import { fromHere } from "../../shared/command/from-here.ts";
import { UserError } from "../../shared/command/user-error.ts";
import { terminal } from "../../shared/terminal/terminal.ts";
import { wrap } from "../../shared/terminal/wrap.ts";
import { type ClusterOptions, withCluster } from "../cluster/cluster-options.ts";
import { openCluster } from "../cluster/open-cluster.ts";
import { exitCode } from "../exit-code.ts";
import { asYaml } from "../output/format.ts";
import { findFunctions, type InstalledFunction } from "../rules/installed-functions.ts";
import { loadRules, systemNames } from "../rules/load-systems.ts";
import type { Subcommand } from "../subcommand.ts";
import { version } from "../version.ts";
import { collect } from "./collect.ts";
import { redact } from "./redact.ts";

interface DoctorOptions extends ClusterOptions {
  readonly installNamespace: string;
  readonly file?: string;
}

/** Lines of each container's log. */
const lastLines = 500;

/** `holdfast doctor` */
export const doctor: Subcommand = {
  declare: () =>
    withCluster(
      new Command("doctor")
        .summary("collect what a bug report needs, without secrets")
        .description(
          "Collects versions, conditions, declarations, Events, what rules have written down, and the functions' " +
            "logs, as YAML. Secrets are not read, and values of environment variables are left out. Names of " +
            "objects are in it: read it before you pass it on.",
        )
        .option("--file <FILE>", "write it there instead of printing it")
        .option("--install-namespace <NS>", "where Holdfast is installed", "holdfast"),
    ),
  async run(_, { installNamespace: namespace, file, ...options }: DoctorOptions) {
    const { client, readText } = openCluster(options);
    const [rules, functions] = await Promise.all([loadRules(systemNames()), findFunctions(client, namespace)]);
    const readLog = async (pod: string, container: string) => {
      const query = new URLSearchParams({ container, tailLines: String(lastLines) });
      return (await readText(`/api/v1/namespaces/${namespace}/pods/${pod}/log?${query}`)).trimEnd().split("\n");
    };
    const sources = { client, namespace, functions, rules, now: systemClock.now(), version: version(), readLog };
    const bundle = await collect(sources);
    const values = [...(functions?.values() ?? [])].flatMap(({ environment, object }) =>
      [environment, ...literalsOf(object)].flatMap(secretIn),
    );
    const text = redact(asYaml(bundle, { lineWidth: 0 }), values);
    if (file === undefined) process.stdout.write(text);
    else {
      write(fromHere(file), text);
      const { print, width } = terminal(process.stdout);
      print(wrap(`${file} is written. Read it before you pass it on: names of objects are in it.`, 0, width));
    }
    return bundle.gaps.length > 0 ? exitCode.unknown : exitCode.good;
  },
};

/** What all containers of a function are given in plain text, for their logs are collected as well. */
const literalsOf = ({ spec }: InstalledFunction["object"]) =>
  (spec?.template?.spec?.containers ?? []).map(({ env = [] }) =>
    Object.fromEntries(env.map(({ name, value = "" }) => [name, value])),
  );

/** Values of variables that are named as secrets are, should anyone have put one there in plain text. */
const secretIn = (environment: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(environment).flatMap(([name, value]) =>
    /PASS|TOKEN|SECRET|KEY|CREDENTIAL/.test(name) ? [value] : [],
  );

function write(file: string, text: string): void {
  try {
    // No other user of this machine needs to read it.
    writeFileSync(file, text, { mode: 0o600, flag: "wx" });
  } catch (cause) {
    throw new UserError(`${file} cannot be written: ${(cause as Error).message}`, { cause });
  }
}
