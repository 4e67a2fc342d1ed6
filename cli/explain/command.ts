import { Command } from "commander";
import { describe, type KubernetesObject, referenceTo } from "../../shared/kubernetes/object.ts";
import { terminal } from "../../shared/terminal/terminal.ts";
import { type PlaceOptions, withPlace } from "../cluster/cluster-options.ts";
import { findObject, readName } from "../cluster/find-object.ts";
import { openCluster } from "../cluster/open-cluster.ts";
import { type ConsoleOptions, linkTo, withConsole } from "../console/console-link.ts";
import { exitCode } from "../exit-code.ts";
import { type Format, formatted, withFormat } from "../output/format.ts";
import { askingWith, type FoundRules, findRules, gapsOf } from "../rules/ask-rules.ts";
import type { Subcommand } from "../subcommand.ts";
import { type Explanation, explain as explainObject } from "./explain.ts";
import { printExplanation } from "./print.ts";

interface ExplainOptions extends PlaceOptions, ConsoleOptions {
  readonly output?: Format;
  readonly watch?: boolean;
  readonly all?: boolean;
}

/** Milliseconds between two looks of `--watch`. */
const pause = 2_000;

/** `holdfast explain` */
export const explain: Subcommand = {
  declare: () =>
    withFormat(
      withConsole(
        withPlace(
          new Command("explain")
            .summary("say who holds an object, why, and what would let it go")
            .description(
              "Says who holds an object, why, since when, and what would let it go: every finalizer on it, and what " +
                "each rule of Holdfast would decide now, beside what is written down on the object. It writes " +
                "nothing. For a namespace that is being deleted, it lists what is left in it.",
            )
            .argument("<OBJECT...>", "KIND/NAME or KIND NAME, for example pvc/data-web-0 or node/n1"),
        ),
      ),
    )
      .option("-w, --watch", "look again every two seconds, and print what has changed, until it is gone")
      .option("--all", "of a namespace, explain every object in it, not only the first 20"),
  async run(words, options: ExplainOptions) {
    const named = readName(words);
    const { client, namespace } = openCluster(options);
    const rules = await findRules(client, options.installNamespace);
    const asking = askingWith(client);
    const out = terminal(process.stdout);
    const { kind, object } = await findObject(client, named, options.namespace ?? namespace, rules.kinds);
    const { namespace: place, name, uid } = object.metadata;
    const page = linkTo(options.console, kind, object.metadata);
    let before = "";
    for (
      let live: KubernetesObject | undefined = object;
      live?.metadata.uid === uid;
      live = await client.get<KubernetesObject>(kind, place, name)
    ) {
      const seen = { ...live, apiVersion: kind.apiVersion, kind: kind.kind };
      const found = withNotice(await explainObject(kind, seen, rules, asking, options.all), rules);
      const explanation: Explanation = { ...found, ...(page ? { page } : {}) };
      const text = JSON.stringify(explanation);
      if (text !== before && options.output) process.stdout.write(formatted(explanation, options.output));
      else if (text !== before) printExplanation(explanation, asking.clock.now(), out, rules.installNamespace);
      before = text;
      if (!options.watch) return codeOf(explanation);
      await asking.clock.sleep(pause);
    }
    if (!options.output) out.print(`${describe(referenceTo(object))} is gone.`);
    return exitCode.good;
  },
};

/** Says what the answer rests on, where not all of it could be read. */
function withNotice(explanation: Explanation, rules: FoundRules) {
  const gaps = [
    ...(rules.isGuess
      ? [
          "You may not read which functions are installed. All rules were asked, with their default settings: ask " +
            "for the right to list Services and Deployments in the namespace of Holdfast.",
        ]
      : []),
    ...gapsOf(rules),
  ];
  return { ...explanation, gaps: [...explanation.gaps, ...gaps] };
}

function codeOf({ isStuck, gaps }: Explanation): number {
  if (isStuck) return exitCode.bad;
  return gaps.length > 0 ? exitCode.unknown : exitCode.good;
}
