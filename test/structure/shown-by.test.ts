import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

/** A test that a document names: a link to its file, and its title in italics. */
const named = /\[[^\]]*\]\(([^)]+)\) \*([^*]+)\*/g;
const cellsOf = (line: string) => line.split("|").slice(1, -1);

/** The cells of columns with the heading "Shown by". */
function shownIn(text: string): readonly string[] {
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
    return cell === undefined || /^-+$/.test(cell) ? [] : [cell];
  });
}

/** The text of a test file, with strings that stand on several lines put together. */
const sourceOf = (file: string) => readFileSync(file, "utf8").replaceAll(/"\s*\+\s*"/g, "");

const documents = globSync("functions/*/*.md", { cwd: root }).filter(
  (document) => shownIn(readFileSync(join(root, document), "utf8")).length > 0,
);

test("some documents say line by line what shows it", () => {
  expect(documents).toContain("functions/satellite/document.md");
});

describe.each(documents)("%s", (document) => {
  const cells = shownIn(readFileSync(join(root, document), "utf8"));

  test("every line is shown by a test, or says why not", () => {
    expect(cells.filter((cell) => !cell.match(named) && !cell.startsWith("not shown: "))).toEqual([]);
  });

  test("every test that it names is there", () => {
    const missing = cells.flatMap((cell) =>
      [...cell.matchAll(named)].flatMap(([, path = "", title = ""]) => {
        const file = join(root, dirname(document), path);
        const isThere = existsSync(file) && sourceOf(file).includes(JSON.stringify(title));
        return isThere ? [] : [`${path}: ${title}`];
      }),
    );
    expect(missing).toEqual([]);
  });
});
