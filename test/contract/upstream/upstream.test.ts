import { expect, test } from "vitest";
import { matchesLabelSelector } from "../../../shared/kubernetes/label-selector.ts";
import { matchesNodeSelector } from "../../../shared/kubernetes/node-selector.ts";
import { quantityValue } from "../../../shared/kubernetes/quantity.ts";
import { tolerates } from "../../../shared/kubernetes/toleration.ts";
import { type Row, rows } from "./rows.ts";
import { ask, digestOfRows, modules, read, recorded, type Verdict, written } from "./upstream.ts";

/** What ours says of a row. It takes what the API server has taken: what is invalid it need not know. */
function ours(row: Row): Verdict {
  if ("selector" in row) return matchesLabelSelector(row.selector, row.labels);
  if ("nodeSelector" in row) return matchesNodeSelector(row.nodeSelector, row.node);
  if ("toleration" in row) return tolerates(row.toleration, row.taint);
  const [one, other] = row.quantities.map(quantityValue) as [number, number];
  if (Number.isNaN(one) || Number.isNaN(other)) return "invalid";
  return one < other ? -1 : one > other ? 1 : 0;
}

const differences = (verdicts: readonly Verdict[]) =>
  rows.flatMap((row, place) => {
    const [wanted, found] = [verdicts[place], ours(row)];
    const isQuantity = "quantities" in row;
    return wanted === found || (wanted === "invalid" && !isQuantity) ? [] : [{ row, wanted, found }];
  });

test("labels, nodes, taints and quantities are read as Kubernetes' own code reads them", () => {
  const { verdicts, ...of } = recorded();
  const again = "node test/contract/upstream/upstream.ts records what Kubernetes says of these rows";
  expect(of, again).toEqual({ modules: modules(), rows: digestOfRows() });
  expect(verdicts).toHaveLength(rows.length);
  expect(
    Object.fromEntries([...Map.groupBy(verdicts, (one) => one)].map(([sign, all]) => [sign, all.length > 20])),
  ).toEqual({ t: true, f: true, "<": true, "=": true, ">": true, "!": true });
  expect(differences(read(verdicts))).toEqual([]);
});

test("what is recorded is what Kubernetes' own code says", { timeout: 480_000 }, (context) => {
  let fresh: readonly Verdict[];
  try {
    fresh = ask();
  } catch (error) {
    // A fault in the program itself, or in a row, is none of these.
    if (!/ENOENT|dial tcp|no such host|module lookup disabled|GOTOOLCHAIN|requires go >=/.test(String(error)))
      throw error;
    context.skip("Neither go nor Kubernetes' modules are here: what is recorded is not compared with them.");
    return;
  }
  expect(written(fresh)).toBe(recorded().verdicts);
});
