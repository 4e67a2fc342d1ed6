import { styleText } from "node:util";

/** Where lines for people go: a terminal with colours and a width, or a pipe with neither. */
export interface Terminal {
  /** Columns; absent where lines must not be broken. */
  readonly width?: number;
  /** Colours only where they are wanted: on a terminal, without `NO_COLOR`. */
  paint(format: Parameters<typeof styleText>[0], text: string): string;
  print(line: string): void;
}

/** A stream as a terminal. `FORCE_COLOR` and `NO_COLOR` are obeyed as node obeys them. */
export function terminal(stream: NodeJS.WriteStream): Terminal {
  return {
    ...(stream.isTTY ? { width: Math.max(40, stream.columns || 80) } : {}),
    paint: (format, text) => styleText(format, text, { stream }),
    print: (line) => void stream.write(`${line}\n`),
  };
}
