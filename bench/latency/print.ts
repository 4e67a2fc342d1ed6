import { median, quantile } from "../statistics.ts";
import { milliseconds, type Row, table, times } from "../table.ts";
import type { Passage } from "./measure.ts";

/** Of the function's p50 to the informer's. */
const goal = 0.55;

/** Prints both beside each other, and where the function's time goes. */
export function printLatency(informer: readonly Passage[], holdfast: readonly Passage[]): void {
  const rows: Row[] = [];
  for (const kind of ["single", "burst"] as const) {
    const [theirs, mine] = [informer, holdfast].map((all) => delays(all.filter((each) => each.kind === kind)));
    if (!theirs?.length || !mine?.length) continue;
    for (const q of [0.5, 0.95, 0.99]) {
      const [a, b] = [quantile(theirs, q), quantile(mine, q)];
      const judged = kind === "single" && q === 0.5 ? [`< ${times(goal)}`, b / a < goal ? "reached" : "missed"] : [];
      const what = `p${q * 100} of ${mine.length}, ${kind === "single" ? "one by one" : "at once"}`;
      rows.push({ what, cells: [milliseconds(a), milliseconds(b), times(b / a), ...judged] });
    }
  }
  console.log(`\n${table(["event to patch", "informer", "Holdfast", "ratio", "goal", ""], rows)}\n`);
  const steps = holdfast.filter(({ kind }) => kind === "single");
  console.log(table(["where Holdfast's time goes, one by one", "p50"], breakdown(steps)));
  console.log();
}

const delays = (passages: readonly Passage[]) => passages.map(({ woken, patched }) => patched - woken);

function breakdown(passages: readonly Passage[]): Row[] {
  const step = (what: string, took: (passage: Passage) => number | undefined): Row => {
    const values = passages.map(took).filter((value) => value !== undefined && !Number.isNaN(value)) as number[];
    return { what, cells: [values.length > 0 ? milliseconds(median(values)) : "-"] };
  };
  const between = (from: number | undefined, to: number | undefined) =>
    from === undefined || to === undefined ? undefined : to - from;
  return [
    step("watch to source", ({ woken, hops }) => between(woken, hops.emitted)),
    step("source to broker to Trigger", ({ hops }) => between(hops.emitted, hops.matched)),
    step("to the function, read and judged there", ({ hops, calls }) => between(hops.matched, calls[0])),
    step("its live read, answered", ({ calls: [read, answer] }) => between(read, answer)),
    step("decided, and the patch sent", ({ calls: [, answer, patch] }) => between(answer, patch)),
    step("the patch, seen on a watch", ({ patched, calls: [, , patch] }) => between(patch, patched)),
    step("all of it, to the function's answer to the broker", ({ woken, hops }) => between(woken, hops.delivered)),
  ];
}
