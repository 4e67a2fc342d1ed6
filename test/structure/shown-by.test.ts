import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { documents } from "./shown-by.ts";

const root = join(import.meta.dirname, "../..");

/** A test that a document names: a link to its file, and its title in italics. */
const named = /\[[^\]]*\]\(([^)]+)\) \*([^*]+)\*/g;

/** The text of a test file, with strings that stand on several lines put together. */
const sourceOf = (file: string) => readFileSync(file, "utf8").replaceAll(/"\s*\+\s*"/g, "");

test("some documents say line by line what shows it", () =>
  expect([...documents.keys()]).toContain("functions/satellite/document.md"));

describe.each([...documents])("%s", (document, lines) => {
  const cells = lines.map(({ shownBy }) => shownBy);

  test("every line is shown by a test, or says why not", () =>
    expect(cells.filter((cell) => !cell.match(named) && !cell.startsWith("not shown: "))).toEqual([]));

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
