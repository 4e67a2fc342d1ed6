import { basename } from "node:path";
import { Command, CommanderError } from "commander";
import { isKeptByNpm } from "../shared/command/parse-flags.ts";
import { complain, UserError } from "../shared/command/user-error.ts";
import { ApiError } from "../shared/kubernetes/api-error.ts";
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

Exit codes: 0, done, or the answer is good; 1, the answer is bad, and a person
must act; 2, it could not tell: no cluster, a wrong name, a missing right.`;

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
  else await program.parseAsync(args, { from: "user" });
  return code;
}

/** What the API server has said, with what a person may do about it. */
function withAdvice(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  if (error.status === 0)
    return new UserError(`${error.message} Is this the right cluster, and does it run? Try: kubectl cluster-info`);
  if (error.status === 401 || error.status === 403)
    return new UserError(`${error.message} Ask for this right, or name another --context.`);
  return error;
}

/** The program with its commands; `ended` gets the exit code of the one that ran. */
export function createProgram(ended: (code: number) => void = () => {}): Command {
  const program = new Command(nameAs(process.argv[1]))
    .description(about)
    .helpOption("-h, --help", "print this text")
    .helpCommand("help [COMMAND]", "print the text of a command")
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
        const [sentence = ""] = text.replace(/^error: /, "").split("\n");
        const path = command === program ? "" : ` ${command.name()}`;
        write(`holdfast: ${sentence.replace(/\.?$/, ".")} See ${program.name()}${path} --help.\n`);
      },
    });
  }
  return program;
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
