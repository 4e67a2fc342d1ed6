import { createInterface } from "node:readline";
import { Complaint } from "../shared/command/complaint.ts";
import { parseFlags } from "../shared/command/parse-flags.ts";
import { runCommand } from "../shared/command/run-command.ts";
import { decisionLine, isLogRecord } from "../shared/terminal/decision-line.ts";
import { terminal } from "../shared/terminal/terminal.ts";

const help = `Reads the functions' log from a pipe and prints it for people, one decision a
line.

  kubectl logs -n holdfast -l app.kubernetes.io/part-of=holdfast \\
    -c user-container --tail=-1 | npm run --silent pretty
`;

async function main(args: readonly string[]): Promise<number> {
  const { values } = parseFlags("npm run pretty", { args: [...args], options: { help: { type: "boolean" } } });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  if (process.stdin.isTTY)
    throw new Complaint(
      "Nobody pipes a log into this: kubectl logs ... | npm run pretty. See npm run pretty -- --help.",
    );
  const out = terminal(process.stdout);
  for await (const line of createInterface({ input: process.stdin })) {
    const record = parse(line);
    out.print(isLogRecord(record) ? decisionLine(record, out) : line);
  }
  return 0;
}

await runCommand(() => main(process.argv.slice(2)));

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
