import { isDiskless, type Resource, sameName } from "../linstor/objects.ts";
import {
  copiesOn,
  cutOffCopies,
  type DataFacts,
  goodCopies,
  knownCopies,
  listed,
  stop,
  type Verdict,
} from "./data-facts.ts";

/** A resource of which too few good copies would be left without the node. */
export interface Shortfall {
  readonly definition: string;
  readonly left: number;
  readonly needed: number;
  /** Copies that say UpToDate, and are not known to be good. */
  readonly cutOff: number;
}

/** What the floor is counted from: without `node` none of that name is listed any more. */
export type FloorFacts = Omit<DataFacts, "node"> & Partial<Pick<DataFacts, "node">>;

/**
 * What would have too few good copies if all that is on the node went: UpToDate, diskful, staying, on an online node
 * that stays, and not on this one. Needed are as many as the place count asks for, at most as many as there were
 * before, and **one at least** of all that had a copy on the node, even where none was good: then there is no proof
 * that the data is anywhere else. Definitions that are gone from LINSTOR need nothing: a person has deleted them, and
 * no PersistentVolume in use names them.
 */
export function shortfalls(facts: FloorFacts): readonly Shortfall[] {
  const { node } = facts;
  const present = node ? countBefore({ ...facts, node }) : {};
  return Object.entries({ ...present, ...facts.before })
    .filter(([definition]) => facts.placeCounts.has(definition))
    .map(([definition, before]) => {
      const good = goodCopies(definition, facts);
      const leaving = [...facts.going, ...(node ? [node.name] : [])];
      const left = good.filter((copy) => !leaving.some((name) => sameName(name, copy.node))).length;
      const needed = Math.max(1, Math.min(facts.placeCounts.get(definition) ?? before, before));
      return { definition, left, needed, cutOff: cutOffCopies(definition, facts).length };
    })
    .filter(({ left, needed }) => left < needed);
}

/**
 * Copies of all that has a diskful copy on the node: what to write down before the evacuation is begun. Whether they
 * are good does not matter: LINSTOR deletes a stale one without a replacement, and one of what the place count asks for
 * would be lost. Those on nodes that are not online are not counted: of them nothing is known, and nothing is taken.
 */
export function countBefore(facts: DataFacts): Readonly<Record<string, number>> {
  const here = copiesOn(facts).filter((copy) => !isDiskless(copy));
  const stays = ({ node }: Resource) => !facts.going.some((name) => sameName(name, node));
  return Object.fromEntries(here.map(({ name }) => [name, Math.max(1, knownCopies(name, facts).filter(stays).length)]));
}

/** Shortfalls for a sentence: `pvc-1 (1 of 2)`. */
export const describeShortfalls = (short: readonly Shortfall[]): string =>
  listed(
    short.map(
      ({ definition, left, needed, cutOff }) => `${definition} (${left} of ${needed}${withoutConnection(cutOff)})`,
    ),
  );
const withoutConnection = (cutOff: number) => (cutOff > 0 ? `, ${cutOff} without a connection` : "");

export const lowerPlaceCount = "`linstor resource-group modify GROUP --place-count N`";

/** What a person can do about too few copies; begins with a verb. */
export const moreCopies =
  "have LINSTOR make another copy (`linstor resource create --auto-place +1 RESOURCE`), or lower the place count of " +
  `the resource group (${lowerPlaceCount})`;

/** The same where there is no good copy. */
export const giveUpData =
  "bring one back; only to give the data up, delete the volume (`linstor resource-definition delete RESOURCE`) and " +
  "its PersistentVolume (`kubectl delete persistentvolume NAME --wait=false`)";

/** Snapshots of which the node has the only part. */
export function lastSnapshots({ snapshots, node }: DataFacts): readonly string[] {
  return snapshots
    .filter(({ nodes }) => nodes.every((name) => sameName(name, node.name)))
    .map(({ name, resource }) => `${resource}/${name}`);
}

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
    `Where a good copy is left, ${moreCopies}. Where none is, ${giveUpData}.`,
  );
}

/**
 * The same of a node that LINSTOR was not called to evacuate before a person removed it, so `what`: what was on it is
 * not written down, and any volume of this LINSTOR may have been; one that lists no volume proves nothing. `facts` are
 * those of every volume, and `key` is the annotation that says which node the satellite has had.
 */
export function lostUnmoved(node: string, what: string, facts: FloorFacts, key: string): Verdict | undefined {
  const without = shortfalls(facts).map(({ definition }) => definition);
  if (without.length === 0 && facts.placeCounts.size > 0) return undefined;
  const why = without.length
    ? `of ${listed(without)} no copy is UpToDate on a node that is online and stays`
    : "this LINSTOR lists no volume";
  return stop(
    `${what}, and ${why}. The disks of ${node} may hold the last copies, so Holdfast releases and removes nothing.`,
    "Only when every volume has its copies elsewhere, or its data is given up: " +
      `\`kubectl annotate linstorsatellite ${node} ${key}-\``,
  );
}
