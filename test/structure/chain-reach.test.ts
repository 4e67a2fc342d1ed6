import { expect, test } from "vitest";
import { reachOfChains } from "./chain-reach.ts";

/**
 * What a reader of one step reaches must not grow unnoticed. The aim is 25 files; half of those that are reached are
 * the client of LINSTOR and the schema of its objects. `node test/structure/chain-reach.ts` prints what there is.
 */
const most = { files: 31, lines: 3_330 };

test("from the rule of a step a reader reaches no more files and lines of its system than the limits say", () => {
  const reach = reachOfChains();
  expect(reach.length).toBeGreaterThanOrEqual(9);
  expect(reach.filter(({ files, lines }) => files > most.files || lines > most.lines)).toEqual([]);
});
