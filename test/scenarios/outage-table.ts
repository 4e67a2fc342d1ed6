import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { root } from "../manifests/kustomization.ts";
import type { Scenario } from "./scenario.ts";

/** What a page says of one outage; a scenario of its system plays it. */
export interface OutageRow {
  readonly away: string;
  /** What still works meanwhile. */
  readonly works: string;
  /** What waits until it is back. */
  readonly waits: string;
  /** How people see it, as Markdown. */
  readonly says: string;
  /** Which external system it is, and how it is away; absent for what is none, or more of the same. */
  readonly of?: readonly [system: string, manner: (typeof manners)[number]];
  /** What plays it, where that is not the test that writes the table: one of these scenarios, or a file's test. */
  readonly playedBy?: readonly [of: readonly Scenario[] | string, title: string];
}

/** Each external system is away as a whole, carries a call out after its caller gave up, or is away for one object. */
const manners = ["away", "late", "for one object"] as const;

const begin = /<!-- outages: [^>]* -->\n/;
const end = "<!-- end of outages -->";

/**
 * Holds that a system's README has the table of these outages between its marks, each external system in every manner;
 * `WRITE_TABLES=1` puts it there.
 */
export function holdOutageTable(system: string, rows: readonly OutageRow[], externals: readonly string[]): void {
  const lacking = externals.flatMap((name) =>
    manners.flatMap((manner) =>
      rows.some(({ of }) => of?.[0] === name && of[1] === manner) ? [] : `${name}: ${manner}`,
    ),
  );
  expect(lacking, "Rows that the table lacks").toEqual([]);
  const played = rows.flatMap(({ playedBy }) => (playedBy ? [playedBy] : []));
  // A test at the beginning of a line is neither skipped nor in a comment.
  const isThere = ([of, title]: (typeof played)[number]) =>
    typeof of === "string"
      ? readFileSync(join(root, of), "utf8")
          .split(/^ *test\(/m)
          .some((text) => text.startsWith(JSON.stringify(title)))
      : of.some((scenario) => scenario.title === title);
  const lacked = played.filter((one) => !isThere(one)).map(([, title]) => title);
  expect(lacked, "Scenarios or tests that are not there").toEqual([]);
  const file = join(root, "functions", system, "README.md");
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  const head = ["Away", "Still works", "Waits until it is back", "How you see it"];
  const table = [
    head,
    head.map(() => "---"),
    ...rows.map(({ away, works, waits, says }) => [away, works, waits, says]),
  ];
  const text = readFileSync(file, "utf8");
  const [mark] = begin.exec(text) ?? [];
  if (!mark || !text.includes(end)) throw new Error(`${file} has no place for the table of outages.`);
  const at = text.indexOf(mark) + mark.length;
  const wanted = text.slice(0, at) + table.map(line).join("") + text.slice(text.indexOf(end));
  if (process.env.WRITE_TABLES) writeFileSync(file, wanted);
  expect(readFileSync(file, "utf8"), "Run this test with WRITE_TABLES=1.").toBe(wanted);
}
