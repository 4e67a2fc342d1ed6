import { quantile } from "../statistics.ts";
import { megabytes, milliseconds, type Row, table, times } from "../table.ts";
import type { Release } from "./measure.ts";

/** What the function is to reach, as a share of what the in-tree controller with its limit raised takes. */
const goals = { wall: 0.5, bytes: 0.25, cpu: 1, growth: 0.3 };
type Goal = keyof typeof goals;

/** Prints one variant: an arm a column, the function's last, and then its ratio to the arm before it. */
export function printReleases(used: boolean, results: readonly (readonly [string, Release])[]): void {
  const releases = results.map(([, release]) => release);
  const mine = releases.at(-1);
  const other = releases.length > 1 ? releases.at(-2) : undefined;
  const row = (what: string, text: (release: Release) => string, goal?: Goal): Row => {
    const ratio = goal && mine && other ? mine[goal] / other[goal] : undefined;
    const verdict = goal && ratio !== undefined ? [times(ratio), ...judge(goal, ratio)] : [];
    return { what, cells: [...releases.map(text), ...verdict] };
  };
  const some = (show: (value: number) => string, value: number | undefined) =>
    value === undefined ? "-" : show(value);
  const rows = [
    row("first deletion to last claim gone", ({ wall }) => milliseconds(wall), "wall"),
    row("  the deletions alone", ({ deletions }) => milliseconds(deletions)),
    row("  p50 of a claim", ({ delays }) => milliseconds(quantile(delays, 0.5))),
    row("  p99 of a claim", ({ delays }) => milliseconds(quantile(delays, 0.99))),
    row("lists of pods, pages", ({ lists }) => String(lists)),
    row("bytes from and to the API server", ({ bytes }) => megabytes(bytes), "bytes"),
    row("  without those of the source", ({ ownBytes }) => some(megabytes, ownBytes)),
    row("processor time", ({ cpu }) => milliseconds(cpu), "cpu"),
    row("  source and broker besides", ({ besides }) => some(milliseconds, besides)),
    row("growth of memory at its peak", ({ growth }) => megabytes(growth), "growth"),
    row("  memory at its peak", ({ peak }) => megabytes(peak)),
    ...(used
      ? [
          row("before, to hold them: bytes", ({ holding }) => some(megabytes, holding?.bytes)),
          row("  processor time", ({ holding }) => some(milliseconds, holding?.cpu)),
          row("  source and broker besides", ({ holding }) => some(milliseconds, holding?.besides)),
        ]
      : []),
  ];
  const title = used ? "each used by one pod" : "used by none";
  console.log(`\n${table([title, ...results.map(([name]) => name), ...(other ? ["ratio", "goal", ""] : [])], rows)}\n`);
}

const judge = (goal: Goal, ratio: number) => [`<= ${times(goals[goal])}`, ratio <= goals[goal] ? "reached" : "missed"];
