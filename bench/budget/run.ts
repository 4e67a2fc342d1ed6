import { megabytes, milliseconds, table, times } from "../table.ts";
import { bundleFor } from "./bundle.ts";
import {
  eagerBudget,
  eagerBytes,
  type Figure,
  isKept,
  measureMemory,
  measureStart,
  measureThroughput,
} from "./measure.ts";

/** Measures what a function costs and prints it beside the barest server that Node can be. */
export async function run(): Promise<void> {
  console.log("Bundling pvc-protection/release and measuring it beside a bare node:http server ...");
  const bundle = await bundleFor("pvc-protection/release");
  try {
    const figures = [
      ...(await measureStart(bundle, 10)),
      await measureThroughput(bundle, 5, 2_000),
      await measureMemory(bundle, 3, 100, 50_000),
    ];
    const bytes = eagerBytes(bundle);
    const rows = figures.map((figure) => ({ what: figure.what.replace(/, (ms|bytes)$/, ""), cells: cellsOf(figure) }));
    const eager = {
      what: "evaluated at a cold start",
      cells: [megabytes(bytes), "", "", `<= ${megabytes(eagerBudget)}`, verdict(bytes <= eagerBudget)],
    };
    console.log(table(["", "function", "bare", "ratio", "budget", ""], [...rows, eager]));
  } finally {
    await bundle.remove();
  }
}

function cellsOf(figure: Figure): string[] {
  const { what, ours, theirs, ratio, budget, bound } = figure;
  const unit = what.endsWith(", ms")
    ? milliseconds
    : what.endsWith(", bytes")
      ? megabytes
      : (rate: number) => rate.toFixed(0);
  const limit = `${bound === "at most" ? "<=" : ">="} ${times(budget)}`;
  return [unit(ours), unit(theirs), times(ratio), limit, verdict(isKept(figure))];
}

const verdict = (kept: boolean) => (kept ? "kept" : "missed");
