import { listed } from "./copies.ts";
import { describeShortfalls, type FloorFacts, moreCopies, shortfalls } from "./replica-floor.ts";
import { stop, type Verdict } from "./verdict.ts";

/**
 * Why a node that LINSTOR does not list any more is not done with, as a sentence: it was removed before all that was on
 * it had its copies elsewhere, and its disks may hold the only ones. `undefined` where the copies are elsewhere.
 */
export function lostBecause(node: string, facts: FloorFacts): Verdict | undefined {
  const short = shortfalls(facts);
  if (short.length === 0) return undefined;
  return stop(
    `LINSTOR does not list the node ${node} any more, and too few copies of what was on it are UpToDate elsewhere: ` +
      `${describeShortfalls(short)}. A person has removed it, and its disks may hold the last copies: nothing is ` +
      "released or removed.",
    `Where a good copy is left, ${moreCopies}. Where none is, bring one back; only if the data is given up, delete ` +
      "the volume (linstor resource-definition delete RESOURCE).",
  );
}

/**
 * The same of a node that LINSTOR was never called to evacuate: what was on it nobody has written down, and any volume
 * of this LINSTOR may have been; one that lists no volume proves nothing. `facts` are those of every volume, and `key`
 * is the annotation that says which node the satellite has had.
 */
export function lostUnmoved(node: string, facts: FloorFacts, key: string): Verdict | undefined {
  const without = shortfalls(facts).map(({ definition }) => definition);
  if (without.length === 0 && facts.placeCounts.size > 0) return undefined;
  const why = without.length
    ? `of ${listed(without)} no copy is UpToDate on a node that is online`
    : "this LINSTOR lists no volume";
  return stop(
    `LINSTOR does not list the node ${node} any more, and was never called to evacuate it: a person has removed it, ` +
      `and ${why}. Its disks may hold the last copies: nothing is released or removed.`,
    "Only when every volume has its copies elsewhere, or its data is given up: " +
      `kubectl annotate linstorsatellite ${node} ${key}-`,
  );
}
