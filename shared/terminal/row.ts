import type { Terminal } from "./terminal.ts";
import { wrap } from "./wrap.ts";

export type Colour = Parameters<Terminal["paint"]>[0];

const nameWidth = 8;
const verdictWidth = 6;
const column = 2 + nameWidth + 1 + verdictWidth + 1;

/** One thing a function did: its name, a word, and a sentence that is wrapped beside them on a terminal. */
export function row(
  { paint, width }: Pick<Terminal, "paint" | "width">,
  name: string,
  word: string,
  colour: Colour,
  sentence: string,
): string {
  return (
    `  ${paint("bold", name.padEnd(nameWidth))} ${paint(colour, word.padEnd(verdictWidth))} ` +
    `${wrap(sentence, column, width)}`
  );
}
