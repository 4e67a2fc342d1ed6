import { isDiskless, type LinstorNode, type Resource, sameName } from "../linstor/objects.ts";
import { goodCopies } from "./data-facts.ts";

/** A volume with a copy on a node, and where else it has good ones. */
export interface CopyOnNode {
  readonly name: string;
  /** Nodes that are online and have a good copy. */
  readonly elsewhere: readonly string[];
}

/** The copies that go with a node's disks; `copies` are those of the same volumes on all nodes. */
export function copiesLostWith(
  node: string,
  copies: readonly Resource[],
  nodes: readonly LinstorNode[],
): readonly CopyOnNode[] {
  const here = copies.filter((copy) => sameName(copy.node, node) && !isDiskless(copy));
  return here.map(({ name }) => ({
    name,
    elsewhere: goodCopies(name, { copies, nodes }).flatMap((copy) => (sameName(copy.node, node) ? [] : [copy.node])),
  }));
}
