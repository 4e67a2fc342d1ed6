import type { Change } from "../../harness/simulated/change.ts";
import { describeChange } from "../../simulation/describe-change.ts";

/** One thing that happened. */
export interface Line {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Who did or said it; empty for the user of both sides. */
  readonly who: string;
  readonly what: string;
}

/** Characters of a line. */
const longest = 180;

/**
 * What is said of changes that have to do with what becomes of claims; how pods get their nodes and volumes has not.
 */
const matters = / is created | is gone | owners|retention policy|deletion|pvc-delete|labels|replicas is/;

/** What happened on both sides, in order, for people: what the user did, what functions said, and what changed. */
export function historyOf(
  lines: readonly Line[],
  { plain, ours }: { readonly plain: readonly Change[]; readonly ours: readonly Change[] },
): readonly string[] {
  const linesOf = (side: string, changes: readonly Change[]): Line[] =>
    changes
      .map((change) => ({ at: change.at, who: side, by: change.by.name, what: describeChange(change) }))
      .filter(({ what }) => matters.test(what))
      .map(({ by, what, ...line }) => ({ ...line, what: by === "kubernetes" ? what : `${what}, by ${by}` }));
  const all = [...lines, ...linesOf("plain", plain), ...linesOf("ours", ours)].toSorted(
    (one, other) => one.at - other.at,
  );
  const began = all[0]?.at ?? 0;
  const said = new Set<string>();
  return all
    .filter(({ what }) => {
      // Functions say the same again and again while they wait.
      const isNews = !what.startsWith('"') || !said.has(what);
      said.add(what);
      return isNews;
    })
    .map(({ at, who, what }) => {
      const seconds = ((at - began) / 1000).toFixed(1).padStart(7);
      const cut = what.length > longest ? `${what.slice(0, longest)}...` : what;
      return who ? `${seconds}  ${who.padEnd(12)}  ${cut}` : `${seconds}  ${cut}`;
    });
}
