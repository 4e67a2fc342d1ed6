import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const longest = 120;

/** What has no space to be broken at: a regular expression, an address, encoded data. */
const unbreakable = /^\s*\/[^/*]|[^\s]{80}/;
/** A row of a table, which Markdown cannot break. */
const row = /^\s*\|/;

test(`no line of code, comment or prose is longer than ${longest} columns`, () => {
  const files = globSync("**/*.{ts,mjs,md}", { cwd: root, exclude: ["node_modules", "dist", ".holdfast", ".git"] })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => !/\/(recorded|fixtures)\//.test(file));
  expect(files.length).toBeGreaterThan(1000);
  const long = files.flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .flatMap((line, index) =>
        line.length > longest && !unbreakable.test(line) && !(file.endsWith(".md") && row.test(line))
          ? [`${file}:${index + 1}`]
          : [],
      ),
  );
  expect(long).toEqual([]);
});
