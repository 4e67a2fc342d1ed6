import { createInterface } from "node:readline";
import { Command } from "commander";
import { UserError } from "../../shared/command/user-error.ts";
import { decisionLine, isLogRecord } from "../../shared/terminal/decision-line.ts";
import { terminal } from "../../shared/terminal/terminal.ts";
import { exitCode } from "../exit-code.ts";
import type { Subcommand } from "../subcommand.ts";

const example = `
Example:
  kubectl logs -n holdfast -l app.kubernetes.io/part-of=holdfast \\
    -c user-container --tail=-1 | holdfast pretty`;

/** `holdfast pretty` */
export const pretty: Subcommand = {
  declare: () =>
    new Command("pretty")
      .summary("print the functions' log for people")
      .description("Reads the functions' log from a pipe and prints it for people, one decision a line.")
      .addHelpText("after", example),
  async run() {
    if (process.stdin.isTTY) throw new UserError("No log comes in. Run: kubectl logs POD | holdfast pretty");
    const out = terminal(process.stdout);
    for await (const line of createInterface({ input: process.stdin })) {
      const record = parse(line);
      out.print(isLogRecord(record) ? decisionLine(record, out) : line);
    }
    return exitCode.good;
  },
};

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
