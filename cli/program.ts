import { basename } from "node:path";
import { Command, CommanderError } from "commander";
import { isKeptByNpm } from "../shared/command/parse-flags.ts";
import { complain, UserError } from "../shared/command/user-error.ts";
import { ApiError } from "../shared/kubernetes/api-error.ts";
import { wrap } from "../shared/terminal/wrap.ts";
import { checkImages } from "./check-images/command.ts";
import { completion } from "./completion/command.ts";
import { openConsole } from "./console/command.ts";
import { doctor } from "./doctor/command.ts";
import { exitCode } from "./exit-code.ts";
import { explain } from "./explain/command.ts";
import { preflight } from "./preflight/command.ts";
import { pretty } from "./pretty/command.ts";
import { replay } from "./replay/command.ts";
import { restore } from "./restore/command.ts";
import { status } from "./status/command.ts";
import type { Subcommand } from "./subcommand.ts";
import { tryRule } from "./try/command.ts";
import { uninstall } from "./uninstall/command.ts";
import { version } from "./version.ts";
import { whatIf } from "./what-if/command.ts";

/** In the order in which the help shows them. */
const commands: readonly Subcommand[] = [
  preflight,
  status,
  explain,
  openConsole,
  tryRule,
  whatIf,
  restore,
  replay,
  pretty,
  checkImages,
  doctor,
  uninstall,
  completion,
];

const about = `Shows and operates Holdfast on the cluster of a kubeconfig, with your rights.

Exit codes: 0: done, or the answer is good. 1: the answer is bad, and a person
must act. 2: no answer: no cluster, a wrong name, or a missing right.`;

/** Runs the program to its exit code; never rejects. */
export async function runProgram(args: readonly string[]): Promise<number> {
  try {
    return await parse(args);
  } catch (error) {
    if (!(error instanceof CommanderError)) complain(withAdvice(error));
    return error instanceof CommanderError && error.exitCode === 0 ? exitCode.good : exitCode.unknown;
  }
}

async function parse(args: readonly string[]): Promise<number> {
  let code: number = exitCode.good;
  const program = createProgram((result) => {
    code = result;
  });
  if (args.length === 0) program.outputHelp();
  else await program.parseAsync(withoutHelp(program, commandFirst(program, args)), { from: "user" });
  return code;
}

/** With the options that stand before the command after it: kubectl takes them there, too. */
function commandFirst(program: Command, args: readonly string[]): readonly string[] {
  const known = program.commands.flatMap(({ options }) => options);
  let at = 0;
  for (let arg = args[0]; arg?.startsWith("-"); arg = args[at]) {
    const option = known.find(({ long, short }) => [long, short].includes(arg?.replace(/=.*/, "") ?? ""));
    if (!option) return args;
    at += option.required && !arg.includes("=") ? 2 : 1;
  }
  const [command, ...rest] = args.slice(at);
  return command === undefined ? args : [command, ...args.slice(0, at), ...rest];
}

/** Of `help nope` and `nope --help` the unknown name alone: commander would print the help of the program. */
function withoutHelp(program: Command, args: readonly string[]): readonly string[] {
  const [name = ""] = args[0] === "help" ? args.slice(1) : args;
  const isKnown = ["", "help", ...program.commands.map((one) => one.name())].includes(name);
  return isKnown || name.startsWith("-") ? args : [name];
}

/** What the API server has said, with what a person may do about it. */
function withAdvice(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  if (error.status === 0)
    return new UserError(`${error.message} Is this the right cluster, and does it run? Try: kubectl cluster-info`);
  if (error.status === 401)
    return new UserError(`${error.message} Has your login expired? Log in again, or name another --context.`);
  if (error.status === 403) return new UserError(`${error.message} Ask for this right, or name another --context.`);
  return error;
}

/** The program with its commands; `ended` gets the exit code of the one that ran. */
export function createProgram(ended: (code: number) => void = () => {}): Command {
  const program: Command = new Command(nameAs(process.argv[1]))
    .description(about)
    .helpOption("-h, --help", "print this text")
    .helpCommand("help [COMMAND]", "print the text of a command")
    .addHelpText("after", () => `\nFormats of -o, --output:\n${formatsOf(program)}`)
    .version(version(), "--version", "print the version");
  for (const { declare, run } of commands) {
    const command = declare().helpOption("-h, --help", "print this text");
    command.action(async () => {
      refuseWhatNpmKept(command);
      ended(await run(command.args, command.opts() as never, program));
    });
    program.addCommand(command);
  }
  for (const command of [program, ...program.commands]) {
    command.configureHelp({ helpWidth: 80, subcommandTerm: (one) => one.name() });
    command.exitOverride();
    command.configureOutput({
      outputError: (text, write) => {
        const [sentence = "", suggestion = ""] = text.replace(/^error: /, "").split("\n");
        const path = command === program ? "" : ` ${command.name()}`;
        const sentences = [
          sentence.replace(/\.?$/, "."),
          suggestion.replace(/^\((.*)\)$/, "$1"),
          withoutFormat(command, sentence),
          `See: ${program.name()}${path} --help`,
        ];
        write(`holdfast: ${sentences.filter(Boolean).join(" ")}\n`);
      },
    });
  }
  return program;
}

/** What each command takes for `-o`, beside sentences for people: a line for each set of formats. */
export function formatsOf(program: Command): string {
  const formats = (command: Command) => command.options.find(({ long }) => long === "--output")?.argChoices ?? [];
  const sets = Map.groupBy(program.commands, (command) => formats(command).join(", ") || "none");
  const width = Math.max(...[...sets.keys()].map(({ length }) => length));
  return [...sets]
    .map(([set, of]) => `  ${set.padEnd(width)}  ${wrap(of.map((one) => one.name()).join(", "), width + 4, 80)}`)
    .join("\n");
}

/** Why a command has no `-o`. */
function withoutFormat(command: Command, complaint: string): string {
  const isWanted = /^unknown option '(-o|--output)[='].*/.test(complaint) && command.parent;
  return isWanted ? `${command.name()} has one format only, and takes no -o.` : "";
}

/** kubectl runs a program of the name `kubectl-holdfast`. */
const nameAs = (file = "") => (basename(file).startsWith("kubectl-") ? "kubectl holdfast" : "holdfast");

/** @throws UserError where npm took an option for its own, because it stood before the `--`. */
function refuseWhatNpmKept(command: Command): void {
  if (process.env.npm_lifecycle_event !== "holdfast") return;
  const kept = command.options.find(({ long }) => isKeptByNpm(long?.slice(2) ?? "", process.env));
  if (kept)
    throw new UserError(`npm kept ${kept.long} for itself. Put -- before: npm run holdfast -- ${command.name()} ...`);
}
