import { isEvacuating, isOnline, type LinstorNode, sameName } from "../linstor/node.ts";
import { isDiskless, isGoodCopy, isLeaving, type Resource } from "../linstor/resource.ts";
import type { DataFacts } from "./data-facts.ts";

/** What is on the node, by whatever case LINSTOR writes its name. */
export function copiesOn({ copies, node }: Pick<DataFacts, "copies" | "node">): readonly Resource[] {
  return copies.filter((copy) => sameName(copy.node, node.name));
}

/** Good copies of a definition, on nodes that are online: what a node that is not says is old. */
export function goodCopies(definition: string, { copies, nodes }: Pick<DataFacts, "copies" | "nodes">) {
  return copies.filter((copy) => copy.name === definition && isGoodCopy(copy) && isOnlineNode(copy.node, nodes));
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

/** Diskful copies of these definitions of which nobody knows how they are, because their nodes are not online. */
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
