import { isDiskless, isGoodCopy, isOnline, type LinstorNode, type Resource, sameName } from "../linstor/objects.ts";

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
  const online = nodes.filter(isOnline);
  const here = copies.filter((copy) => sameName(copy.node, node) && !isDiskless(copy));
  return here.map(({ name }) => ({
    name,
    elsewhere: copies
      .filter((copy) => copy.name === name && !sameName(copy.node, node) && isGoodCopy(copy))
      .filter((copy) => online.some((one) => sameName(one.name, copy.node)))
      .map((copy) => copy.node),
  }));
}
