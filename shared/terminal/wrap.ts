import { columnsOf } from "./terminal.ts";

/**
 * Breaks a sentence between words so that it fits beside something `indent` columns wide; further lines begin below its
 * first word. Without a width it stays one line, for pipes and files. A word longer than a line gets a line of its own.
 */
export function wrap(sentence: string, indent: number, width?: number): string {
  const words = sentence.split(/\s+/).filter(Boolean);
  if (width === undefined) return words.join(" ");
  const room = Math.max(20, width - indent);
  const lines: string[] = [];
  let line = "";
  for (const word of words) {
    if (line && columnsOf(line) + 1 + columnsOf(word) > room) {
      lines.push(line);
      line = word;
    } else line = line ? `${line} ${word}` : word;
  }
  lines.push(line);
  return lines.join(`\n${" ".repeat(indent)}`);
}
