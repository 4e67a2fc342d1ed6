import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/eviction.md"), "utf8");
const rows = page.split("\n").filter((line) => line.startsWith("|"));

const sources = globSync("{functions/eviction,shared/budget,shared/chain}/**/*.ts", { cwd: root })
  .filter((file) => !/\.test\.ts$|[\\/]testing[\\/]/.test(file))
  .map((file) => readFileSync(join(root, file), "utf8"));

/** All code, with strings that are concatenated as one. */
const code = sources
  .map(
    (text) =>
      transformSync(text, {
        loader: "ts",
        minifySyntax: true,
        supported: { "template-literal": false },
        charset: "utf8",
      }).code,
  )
  .join("\n");

test("each message that a table quotes in italics is one that evictions write", () => {
  const quoted = rows.flatMap((row) => [...row.matchAll(/(?<!\*)\*([^*]+)\*(?!\*)/g)].map(([, text = ""]) => text));
  expect(quoted.length).toBeGreaterThan(40);
  const missing = quoted.filter((text) =>
    text.split("…").some((part) => !code.includes(JSON.stringify(part.trim()).slice(1, -1))),
  );
  expect(missing).toEqual([]);
});

test("each reason of a condition that evictions write has a row", () => {
  const ofConditions = /\breason\b[^\n]*?[:=?] |convergedReport\(|stuckReason =/;
  const lines = sources
    .join("\n")
    .split("\n")
    .filter((line) => ofConditions.test(line));
  const found = lines.flatMap((line) => [...line.matchAll(/"([A-Z][A-Za-z]+)"/g)].map(([, word = ""]) => word));
  const reasons = new Set(found.filter((word) => !["True", "False", "Unknown", "EvictionStuck"].includes(word)));
  expect(reasons.size).toBeGreaterThan(12);
  expect([...reasons].filter((reason) => !rows.some((row) => row.includes(`\`${reason}\``)))).toEqual([]);
});
