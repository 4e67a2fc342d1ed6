/** Text as code in Markdown. */
export const code = (text: string): string => `\`${text}\``;

/** A Markdown table with its columns aligned, as the formatter wants it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |\n`;
  const [first = [], ...others] = cells.map(line);
  return [first, line(widths.map((width) => "-".repeat(width))), ...others].join("");
}

/** The same without the spaces that align columns, for tables that are long and whose cells are. */
export const compactTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows]
    .map((row) => `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`)
    .join("");
