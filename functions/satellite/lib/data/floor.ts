import { sameName } from "../linstor/node.ts";
import { isDiskless } from "../linstor/resource.ts";
import { copiesOn, goodCopies } from "./copies.ts";
import type { DataFacts } from "./data-facts.ts";

/** A resource of which too few good copies would be left without the node. */
export interface Shortfall {
  readonly definition: string;
  readonly left: number;
  readonly needed: number;
}

/**
 * What would have too few good copies if all that is on the node went: UpToDate, diskful, staying, on an online node,
 * and not on this one. Needed are as many as there were before, at most the place count, and **one at least** of
 * whatever had a copy on the node, even where none was good: then there is no proof that the data is anywhere else.
 * Definitions that are gone from LINSTOR need nothing: somebody has deleted them.
 */
export function shortfalls(facts: DataFacts): readonly Shortfall[] {
  const here = copiesOn(facts).filter((copy) => !isDiskless(copy));
  const definitions = new Set([...Object.keys(facts.before), ...here.map(({ name }) => name)]);
  return [...definitions]
    .filter((definition) => facts.placeCounts.has(definition))
    .map((definition) => {
      const good = goodCopies(definition, facts);
      const left = good.filter((copy) => !sameName(copy.node, facts.node.name)).length;
      const before = facts.before[definition] ?? good.length;
      return { definition, left, needed: Math.max(1, Math.min(facts.placeCounts.get(definition) ?? before, before)) };
    })
    .filter(({ left, needed }) => left < needed);
}

/** Good copies of all that has a diskful copy on the node: what to write down before the evacuation is begun. */
export function countBefore(facts: DataFacts): Readonly<Record<string, number>> {
  const here = copiesOn(facts).filter((copy) => !isDiskless(copy));
  return Object.fromEntries(here.map(({ name }) => [name, goodCopies(name, facts).length]));
}

/** Snapshots of which the node has the only part. */
export function lastSnapshots({ snapshots, node }: DataFacts): readonly string[] {
  return snapshots
    .filter(({ nodes }) => nodes.every((name) => sameName(name, node.name)))
    .map(({ name, resource }) => `${resource}/${name}`);
}
