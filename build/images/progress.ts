/** Shows a person who waits at a terminal what is being done; in a pipe, only what must be known. */
export interface Progress {
  /** One line that the next one takes the place of. */
  show(line: string): void;
  /** A line that stays. */
  warn(line: string): void;
  /** Takes the last line of {@link show} away. */
  end(): void;
}

/** Writes to `stream`, which is standard error: standard output is for results. */
export function progressOn(stream: NodeJS.WriteStream): Progress {
  const clear = stream.isTTY ? "\r\x1b[K" : "";
  return {
    show(line) {
      if (stream.isTTY) stream.write(`${clear}${line.slice(0, (stream.columns || 80) - 1)}`);
    },
    warn: (line) => void stream.write(`${clear}holdfast: ${line}\n`),
    end: () => void stream.write(clear),
  };
}
