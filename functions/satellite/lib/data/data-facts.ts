import {
  isDiskless,
  isEvacuating,
  isGoodCopy,
  isLeaving,
  isOnline,
  type LinstorNode,
  type Resource,
  type Snapshot,
  sameName,
} from "../linstor/objects.ts";

/** What LINSTOR says of a node that it knows, read in one run. */
export interface DataFacts {
  readonly node: LinstorNode;
  /** All nodes, this one among them. */
  readonly nodes: readonly LinstorNode[];
  /** Every copy, on whichever node, of what is on the node, and of what was there when the evacuation began. */
  readonly copies: readonly Resource[];
  /** Snapshots with a part on the node. */
  readonly snapshots: readonly Snapshot[];
  /** The place count of each resource definition that exists; `undefined` where its group has none. */
  readonly placeCounts: ReadonlyMap<string, number | undefined>;
  /**
   * Copies, by definition, of what had a diskful copy on the node when the evacuation began. 1 for what may have one on
   * its disks that LINSTOR does not list.
   */
  readonly before: Readonly<Record<string, number>>;
  /** Nodes that go without being evacuated: their copies are there, and will not stay. */
  readonly going: readonly string[];
  /** When evacuate was last called, in milliseconds since the epoch, as far as anybody wrote it down. */
  readonly calledAt?: number;
  /** The circumstances in which that call was made, as `circumstances.ts` has them. */
  readonly tried?: string;
  /** What LINSTOR said that it could not do, in its own words. */
  readonly warnings: readonly string[];
}

/**
 * What to do about a node in LINSTOR, and why, in a sentence.
 * - `act`: the command may be sent now
 * - `wait`: it will become possible, or is under way
 * - `stop`: a person must act, unless it passes by itself in a while
 * - `done`: nothing is left to do
 */
export interface Verdict {
  readonly do: "act" | "wait" | "stop" | "done";
  readonly message: string;
  /** How a person must act, as sentences. */
  readonly advice?: string;
}

export const act = (message: string): Verdict => ({ do: "act", message });
export const wait = (message: string): Verdict => ({ do: "wait", message });
export const stop = (message: string, advice?: string): Verdict => ({
  do: "stop",
  message,
  ...(advice ? { advice } : {}),
});
/** All of it, for where no time is waited for. */
export const whole = ({ message, advice }: Verdict): string => (advice ? `${message} ${advice}` : message);

export const done = (message: string): Verdict => ({ do: "done", message });

/** What LINSTOR warned of when it was called, as a sentence to go on with; empty when nothing. */
export const warningsOf = ({ warnings }: Pick<DataFacts, "warnings">): string =>
  warnings.length > 0 ? ` LINSTOR says: ${warnings.join(" ")}` : "";

/** What is on the node, in any case in which LINSTOR writes its name. */
export function copiesOn({ copies, node }: Pick<DataFacts, "copies" | "node">): readonly Resource[] {
  return copies.filter((copy) => sameName(copy.node, node.name));
}

/** Copies of a definition that say UpToDate, on nodes that are online: what a node that is not says is old. */
export const saidGood = (definition: string, { copies, nodes }: Pick<DataFacts, "copies" | "nodes">) =>
  copies.filter((copy) => copy.name === definition && isGoodCopy(copy) && isOnlineNode(copy.node, nodes));

/** Those of them that are connected with none of the others, as DRBD shows: each may lack what was written last. */
export function cutOffCopies(definition: string, facts: Pick<DataFacts, "copies" | "nodes">) {
  const warningsOf = saidGood(definition, facts);
  return warningsOf.filter(({ peers }) => {
    const shown = Object.keys(peers).filter((peer) => warningsOf.some(({ node }) => sameName(node, peer)));
    return shown.length > 0 && !shown.some((peer) => peers[peer]?.connected);
  });
}

/** Good copies of a definition: those that say so, and are not cut off from the others. */
export function goodCopies(definition: string, facts: Pick<DataFacts, "copies" | "nodes">): readonly Resource[] {
  const cutOff = cutOffCopies(definition, facts);
  return saidGood(definition, facts).filter((copy) => !cutOff.includes(copy));
}

/** Diskful copies of a definition that stay, good or not, on nodes that are online. */
export function knownCopies(definition: string, { copies, nodes }: Pick<DataFacts, "copies" | "nodes">) {
  return copies.filter(
    (copy) => copy.name === definition && !isDiskless(copy) && !isLeaving(copy) && isOnlineNode(copy.node, nodes),
  );
}

/**
 * Copies of these definitions that are being made: diskful on a node that is online, and not UpToDate yet. LINSTOR
 * takes one without volumes for UpToDate, and has deleted the source of one that was being made by another call.
 */
export function copiesInTheMaking(definitions: ReadonlySet<string>, { copies, nodes, node }: DataFacts) {
  return copies.filter((copy) => {
    if (!definitions.has(copy.name) || !copy.replicated || isLeaving(copy) || !isOnlineNode(copy.node, nodes))
      return false;
    if (copy.flags.includes("DISK_ADD_REQUESTED") || copy.flags.includes("DISK_ADDING")) return true;
    if (isDiskless(copy)) return false;
    // A source that has lost its disk will not get it back by waiting.
    const unfinished = sameName(copy.node, node.name) ? unfinishedHere : unfinishedElsewhere;
    return !copy.volumes.length || copy.volumes.some(({ diskState }) => unfinished.test(diskState ?? "Inconsistent"));
  });
}

const unfinishedHere = /^(Inconsistent|SyncTarget|Attaching|Negotiating)/;
const unfinishedElsewhere = /^(Inconsistent|SyncTarget|Attaching|Negotiating|Diskless)/;

/** Diskful copies of these definitions on other nodes that are online and being evacuated as well. */
export function copiesToBeMoved(definitions: ReadonlySet<string>, { copies, nodes, node }: DataFacts) {
  const others = nodes.filter((one) => !sameName(one.name, node.name) && isEvacuating(one) && isOnline(one));
  return copies.filter(
    (copy) => definitions.has(copy.name) && !isDiskless(copy) && others.some(({ name }) => sameName(name, copy.node)),
  );
}

/** Diskful copies of these definitions whose state is unknown, because their nodes are not online. */
export function unknownCopies(definitions: ReadonlySet<string>, { copies, nodes }: DataFacts) {
  return copies.filter((copy) => {
    return definitions.has(copy.name) && !isDiskless(copy) && !isLeaving(copy) && !isOnlineNode(copy.node, nodes);
  });
}

const isOnlineNode = (name: string, nodes: readonly LinstorNode[]) =>
  nodes.some((node) => sameName(node.name, name) && isOnline(node));

/** Names for a sentence, at most five of them. */
export function listed(names: readonly string[]): string {
  const distinct = [...new Set(names)].sort();
  const more = distinct.length - 5;
  return more > 0 ? `${distinct.slice(0, 5).join(", ")} and ${more} more` : distinct.join(", ");
}
