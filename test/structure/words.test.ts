import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

/**
 * Words of a private vocabulary, with what is written instead. In a name they count as well: `isTold`, `ledgerOf`.
 * `except` is what such a word says in plain English, or in a foreign interface.
 */
const words: readonly { readonly word: RegExp; readonly instead: string; readonly except?: RegExp }[] = [
  { word: /\bstor(y|ies)\b/i, instead: "scenario, run, step" },
  { word: /\b(isTold|isNotTold|tellingOf|toldBy|toldBefore|untold|foretold)\b/, instead: "recorded, reported" },
  { word: /\b(const|let|function|type|readonly) (tell|tells|told)\b/i, instead: "record, report, notify, show" },
  { word: /\b(is|are) told of\b/, instead: "is recorded, is shown" },
  { word: /\bstage\b|[oO]penStage/i, instead: "running cluster, context", except: /beta|prod/ },
  { word: /\b(meddl(es?|ing)|befalls?|befell)\b/i, instead: "fault, workload" },
  { word: /\bbroken functions?\b/i, instead: "mutant" },
  { word: /\b(?<![dD]ead[- ]?)[lL]etter(Box|Of|s? (is|are) (kept|recorded))\b/, instead: "dead-lettered event" },
  { word: /\b(retracts?|unsays?)\b/i, instead: "clear an Event" },
  { word: /\b(rigs?|desks?|chronicles?|tall(y|ies)|ledgers?)\b/i, instead: "harness, recorder, history, counts" },
  { word: /\bwhat wakes (it|them)\b/i, instead: "triggered by" },
  { word: /\bso manieth\b/i, instead: "every nth" },
  { word: /\bTurn\b/, instead: "context, resync" },
  { word: /^\s*(\/\*)?\* Answers (whether|what was|the (place|object|name)|how)\b/, instead: "Returns" },
];

/** The letters of one name are read as words: `createLedger` is `create Ledger`. */
const spelt = (line: string) => line.replaceAll(/([a-z])([A-Z])/g, "$1 $2");

const own = "test/structure/words.test.ts";
const files = globSync("**/*.{ts,mjs,md,py,yaml}", {
  cwd: root,
  exclude: ["node_modules", "dist", ".holdfast", ".git"],
})
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file !== own && !/\/(recorded|fixtures)\//.test(file));

test("names, comments, titles and prose are in the field's words", () => {
  expect(files.length).toBeGreaterThan(1000);
  const found = files.flatMap((file) => {
    const lines = `${file}\n${readFileSync(join(root, file), "utf8")}`.split("\n");
    return lines.flatMap((line, index) =>
      words.flatMap(({ word, instead, except }) =>
        (word.test(line) || word.test(spelt(line))) && !except?.test(line)
          ? [`${file}:${index}: "${word.exec(line)?.[0] ?? word.exec(spelt(line))?.[0]}"; write ${instead}`]
          : [],
      ),
    );
  });
  expect(found).toEqual([]);
});

test.each([
  "function createLedger() {",
  "export function isTold(world: World) {",
  "# The story of a claim",
  "const stage = await openStage(options);",
  "export interface Turn {",
  "/** Answers whether the sender may forget it. */",
])("%s would be found", (line) => {
  expect(words.some(({ word, except }) => (word.test(line) || word.test(spelt(line))) && !except?.test(line))).toBe(
    true,
  );
});
