/** One line of a table. */
export interface Row {
  /** What was measured. */
  readonly what: string;
  /** One text per column. */
  readonly cells: readonly string[];
}

/** A table for people: columns to the right, at most 80 characters wide where the texts allow it; plain text. */
export function table(columns: readonly string[], rows: readonly Row[]): string {
  const lines = [columns, ...rows.map(({ what, cells }) => [what, ...cells])];
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const pad = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0);
  const format = (line: readonly string[]) => line.map(pad).join("  ").trimEnd();
  const [head = [], ...body] = lines;
  return [format(head), "-".repeat(widths.reduce((sum, width) => sum + width + 2, -2)), ...body.map(format)].join("\n");
}

export const milliseconds = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
export const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 2 : 1)} MB`;
export const times = (ratio: number) => `${ratio.toFixed(2)}x`;
