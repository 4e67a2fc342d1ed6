import { createInterface } from "node:readline/promises";
import { interrupted } from "./run-command.ts";

/**
 * Asks a question that is answered with yes or no. Anything but yes is no: the end of the input, and Ctrl-C,
 * too, which is also what the program then ends with.
 */
export async function ask(question: string, signal?: AbortSignal): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const none = new AbortController();
  lines.once("close", () => none.abort());
  // While readline has the terminal, Ctrl-C is a key, and no signal.
  lines.once("SIGINT", () => {
    process.exitCode = interrupted;
    lines.close();
  });
  try {
    const answer = await lines.question(`${question} [y/N] `, {
      signal: signal ? AbortSignal.any([signal, none.signal]) : none.signal,
    });
    return /^y(es)?$/i.test(answer.trim());
  } catch {
    process.stdout.write("\n");
    return false;
  } finally {
    lines.close();
  }
}
