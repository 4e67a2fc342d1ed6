import { randomUUID } from "node:crypto";
import { styleText } from "node:util";
import { visible } from "./visible.ts";

/** Where lines for people go: a terminal with colours and a width, or a pipe with neither. */
export interface Terminal {
  /** Columns; absent where lines must not be broken. */
  readonly width?: number;
  /** Colours only where they are wanted: on a terminal, without `NO_COLOR`. What it returns is for `print` alone. */
  paint(format: Parameters<typeof styleText>[0], text: string): string;
  /** Prints lines. Only what `paint` has painted has colours: a text from outside moves no cursor and hides nothing. */
  print(line: string): void;
}

/** Stands for ESC in what was painted, until it is printed: no text from outside can know it. */
const mark = randomUUID();
const codes = new RegExp(`${mark}\\[[\\d;]*m`, "g");

/** The columns that a painted text takes. */
export const columnsOf = (painted: string): number => painted.replaceAll(codes, "").length;

/** A stream as a terminal. `FORCE_COLOR` and `NO_COLOR` are obeyed as node obeys them. */
export function terminal(stream: NodeJS.WriteStream): Terminal {
  return {
    ...(stream.isTTY ? { width: Math.max(40, stream.columns || 80) } : {}),
    paint: (format, text) => styleText(format, visible(text), { stream }).replaceAll("\u001b", mark),
    print: (line) => void stream.write(`${visible(line).replaceAll(mark, "\u001b")}\n`),
  };
}
