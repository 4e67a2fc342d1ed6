import { describeOperation, type Operation } from "../sequence/operation.ts";
import type { Shrunk } from "../shrink.ts";

/** So many faults are named. */
const mostFaults = 20;

/** A failing sequence for people: what is wrong, what it takes, what happened, and the command that runs it again. */
export function reportOf(command: string, { result, sequence, runs }: Shrunk): string {
  return [
    ...result.failures,
    "",
    `It takes ${count(sequence, "operation")} and ${count(result.struck, "fault")} (${runs} runs of parts of ` +
      "it were tried):",
    ...listOf(sequence),
    ...result.struck.slice(0, mostFaults).map((fault) => `   fault: ${fault}`),
    ...(result.struck.length > mostFaults ? [`   and ${result.struck.length - mostFaults} more`] : []),
    "",
    ...result.history,
    "",
    `To run it again: ${command}`,
  ].join("\n");
}

/** Operations as a numbered list. */
export const listOf = (sequence: readonly Operation[]): readonly string[] =>
  sequence.map((op, index) => `${String(index + 1).padStart(4)}. ${describeOperation(op)}`);

const count = (items: readonly unknown[], what: string) => `${items.length} ${what}${items.length === 1 ? "" : "s"}`;
