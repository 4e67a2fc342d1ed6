// Makes the functions' log readable, one decision a line:
//   kubectl logs -n holdfast -l app.kubernetes.io/part-of=holdfast -c user-container --tail=-1 | npm run --silent pretty
import { createInterface } from "node:readline";
import { decisionLine, isLogRecord } from "./decision-line.ts";
import { terminal } from "./terminal.ts";

const out = terminal(process.stdout);
process.stdout.on("error", () => process.exit());
for await (const line of createInterface({ input: process.stdin })) {
  const record = parse(line);
  out.print(isLogRecord(record) ? decisionLine(record, out) : line);
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
