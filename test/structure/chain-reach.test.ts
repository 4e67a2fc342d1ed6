import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { page, reachOfChains, rowsNow } from "./chain-reach.ts";

/**
 * What a reader of one step reaches must not grow unnoticed. `node test/structure/chain-reach.ts --write` prints what
 * there is, and writes it into the documentation.
 */
const most: Readonly<Record<string, { readonly files: number; readonly lines: number }>> = {
  eviction: { files: 25, lines: 3_138 },
  satellite: { files: 25, lines: 3_619 },
  volume: { files: 27, lines: 2_130 },
};

test("from the rule of a step a reader reaches no more files and lines of its system than the limits say", () => {
  const reach = reachOfChains();
  expect(reach.length).toBeGreaterThanOrEqual(22);
  const isTooFar = ({ rule, files, lines }: (typeof reach)[number]) => {
    const { files: mostFiles = 0, lines: mostLines = 0 } = most[rule.split("/")[0] as string] ?? {};
    return files > mostFiles || lines > mostLines;
  };
  expect(reach.filter(isTooFar)).toEqual([]);
});

test("the documentation has what a reader of each rule reaches", () => {
  const text = readFileSync(page, "utf8");
  const found = [...text.matchAll(/^\| (`\w+\/[\w-]+`) \| (\d+ files, [\d,]+ lines) \|/gm)];
  expect(found.map(([, rule, reach]) => [rule, reach])).toEqual(rowsNow());
});

test("the documentation has the numbers of files that a reader reaches", () => {
  const text = readFileSync(join(import.meta.dirname, "../../docs/event-to-patch.md"), "utf8").replaceAll(/\s+/g, " ");
  const range = (system: string) => {
    const files = reachOfChains().flatMap(({ rule, files }) => (rule.startsWith(system) ? files : []));
    return `${Math.min(...files)} to ${Math.max(...files)} for ${system}s`;
  };
  expect(text).toContain(range("satellite"));
  expect(text).toContain(range("eviction"));
  expect(text).toContain(range("volume").replace("volumes", "Volumes"));
});
