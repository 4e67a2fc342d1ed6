import { createInterface } from "node:readline/promises";

/** Asks a question that is answered with yes or no; anything but yes is no, and so is the end of the input. */
export async function ask(question: string, signal?: AbortSignal): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const ended = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
    const answer = await Promise.race([lines.question(`${question} [y/N] `, signal ? { signal } : {}), ended]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}
