import { expect, test } from "vitest";
import { reachOfChains } from "./chain-reach.ts";

/**
 * What a reader of one step reaches must not grow unnoticed. `node test/structure/chain-reach.ts` prints what there is.
 */
const most: Readonly<Record<string, { readonly files: number; readonly lines: number }>> = {
  eviction: { files: 25, lines: 3_095 },
  satellite: { files: 26, lines: 3_603 },
};

test("from the rule of a step a reader reaches no more files and lines of its system than the limits say", () => {
  const reach = reachOfChains();
  expect(reach.length).toBeGreaterThanOrEqual(9);
  const isTooFar = ({ rule, files, lines }: (typeof reach)[number]) => {
    const { files: mostFiles = 0, lines: mostLines = 0 } = most[rule.split("/")[0] as string] ?? {};
    return files > mostFiles || lines > mostLines;
  };
  expect(reach.filter(isTooFar)).toEqual([]);
});
