import { createInterface } from "node:readline/promises";

/** Asks a question that is answered with yes or no. Anything but yes is no: the end of the input, and Ctrl-C, too. */
export async function ask(question: string, signal?: AbortSignal): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const none = new AbortController();
  lines.once("close", () => none.abort());
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
