import { Command } from "commander";
import type { Decision } from "../../shared/decision.ts";
import { describe, referenceTo } from "../../shared/kubernetes/object.ts";
import { plan } from "../../shared/pipeline/plan.ts";
import { type Rule, slug } from "../../shared/rule.ts";
import { type Terminal, terminal } from "../../shared/terminal/terminal.ts";
import { wrap } from "../../shared/terminal/wrap.ts";
import { asIf, changedTo, readAsIf } from "../cluster/as-if.ts";
import { type PlaceOptions, withPlace } from "../cluster/cluster-options.ts";
import { findObject, readName } from "../cluster/find-object.ts";
import { openCluster } from "../cluster/open-cluster.ts";
import { exitCode } from "../exit-code.ts";
import { asYaml, type Format, formatted, withFormat } from "../output/format.ts";
import { askingWith, defaultsAssumed, findRules } from "../rules/ask-rules.ts";
import { type AskedRule, judge } from "../rules/judge.ts";
import { loadRule } from "../rules/load-systems.ts";
import type { Subcommand } from "../subcommand.ts";
import { type ShownOperation, shown } from "./operations.ts";

interface TryOptions extends PlaceOptions {
  readonly asIf?: string;
  readonly output?: Format;
}

/** What a rule would do. */
interface Trial {
  readonly rule: string;
  readonly object: string;
  readonly decisions: readonly Tried[];
  /** Why nothing could be decided. */
  readonly unknown?: string;
  /** What the answer assumes, where the function or a setting of it could not be read. */
  readonly notice?: string;
}

interface Tried {
  readonly about: string;
  readonly decision: Decision["do"];
  readonly message: string;
  readonly operations: readonly ShownOperation[];
}

/** `holdfast try` */
export const tryRule: Subcommand = {
  declare: () =>
    withFormat(
      withPlace(
        new Command("try")
          .summary("say what a rule would do about an object, and do nothing")
          .description(
            "Has a rule look at an object and decide, and prints the decision with every patch and call that would " +
              "follow. It writes nothing.",
          )
          .argument("<RULE>", "for example pvc-protection/release")
          .argument("<OBJECT...>", "KIND/NAME or KIND NAME")
          .option("--as-if <FILE>", "decide as if the object were as in this file"),
      ),
    ),
  async run([name = "", ...words], { asIf: file, output, ...options }: TryOptions) {
    const rule = await loadRule(name);
    const named = readName(words);
    const { client, namespace } = openCluster(options);
    const { installed, kinds, isGuess } = await findRules(client, options.installNamespace);
    const found = await findObject(client, named, options.namespace ?? namespace, kinds);
    const object = file ? readAsIf(file, found.object) : found.object;
    const asking = askingWith(file ? asIf(client, [changedTo(found.kind, object)]) : client);
    const asked = installed.find((one) => one.rule.name === rule.name);
    const judgement = await judge(asked ?? { rule, environment: {} }, found.kind, object, asking);
    const notice = noticeOf(rule, asked, isGuess);
    const trial: Trial = {
      rule: rule.name,
      object: describe(referenceTo(object)),
      decisions:
        "decisions" in judgement
          ? judgement.decisions.map((one) => tried(judgement.rule, one, asking.clock.now()))
          : [],
      ...("unknown" in judgement ? { unknown: judgement.unknown } : {}),
      ...(notice ? { notice } : {}),
    };
    if (output) process.stdout.write(formatted(trial, output));
    else printTrial(trial, terminal(process.stdout));
    if (trial.unknown !== undefined) return exitCode.unknown;
    return trial.decisions.some(({ decision }) => decision === "stop") ? exitCode.bad : exitCode.good;
  },
};

function tried(rule: Rule, decision: Decision, now: number): Tried {
  const { about, message } = decision;
  const { operations } = plan(rule, decision, now);
  return { about: describe(referenceTo(about)), decision: decision.do, message, operations: shown(operations) };
}

function noticeOf({ name }: Rule, asked: AskedRule | undefined, isGuess: boolean): string | undefined {
  if (isGuess) return `You may not read the settings of ${slug(name)}: the rule was asked with its defaults.`;
  if (!asked) return `The function ${slug(name)} is not installed: the rule was asked with its defaults.`;
  return asked.unread && `${asked.unread} ${defaultsAssumed}`;
}

function printTrial({ rule, object, decisions, unknown, notice }: Trial, out: Terminal): void {
  const line = (indent: number, text: string) => out.print(" ".repeat(indent) + wrap(text, indent, out.width));
  if (unknown !== undefined) line(0, `${rule} could not look: ${unknown}`);
  else if (decisions.length === 0) line(0, `${rule} has nothing to decide about ${object}.`);
  for (const { about, decision, message, operations } of decisions) {
    line(0, `${out.paint("bold", decision)} ${about}: ${message}`);
    for (const { does, sends } of operations) {
      line(2, `- ${does}`);
      if (sends !== undefined) out.print(asYaml(sends).trimEnd().replaceAll(/^/gm, "      "));
    }
    if (operations.length === 0) line(2, "Nothing is written: everything is as it should be.");
  }
  if (notice) line(0, out.paint("yellow", notice));
  line(0, "Nothing was written.");
}
