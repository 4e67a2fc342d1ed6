import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const cellsOf = (line: string) => line.split("|").slice(1, -1);

/** A line of a document that a system implements, as a table with the column "Shown by" lists it. */
export interface DocumentLine {
  /** The first cell of its row: what the document says. */
  readonly says: string;
  /** The cell under "Shown by": tests, or `not shown: ` and why. */
  readonly shownBy: string;
}

/** The rows of a document's tables that have a column with the heading "Shown by". */
function linesOf(text: string): readonly DocumentLine[] {
  let column = -1;
  return text.split("\n").flatMap((line) => {
    if (!line.startsWith("|")) {
      column = -1;
      return [];
    }
    const cells = cellsOf(line).map((cell) => cell.trim());
    if (column < 0) {
      column = cells.includes("Shown by") ? cells.indexOf("Shown by") : cells.length;
      return [];
    }
    const cell = cells[column];
    return cell === undefined || /^-+$/.test(cell) ? [] : [{ says: cells[0] ?? "", shownBy: cell }];
  });
}

/** The documents that say line by line what shows it, relative to the root, each with its lines. */
export const documents: ReadonlyMap<string, readonly DocumentLine[]> = new Map(
  globSync(["functions/*/*.md", "docs/*.md"], { cwd: root })
    .sort()
    .map((document) => [document, linesOf(readFileSync(join(root, document), "utf8"))] as const)
    .filter(([, lines]) => lines.length > 0),
);
