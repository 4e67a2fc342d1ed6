import type { DataFacts } from "../data/data-facts.ts";
import { type LinstorNode, linstorNode, type Resource, resource } from "../linstor/objects.ts";

/** A LINSTOR node as it is listed when nothing is wrong with it. */
export function aNode(name: string, more: { flags?: string[]; connection?: string } = {}): LinstorNode {
  const { connection = "ONLINE", flags = [] } = more;
  const props = { "Aux/piraeus.io/managed-by": "holdfast" };
  return linstorNode.parse({ name, type: "SATELLITE", connection_status: connection, flags, props });
}

/**
 * A copy on a node, by its disk state; `Diskless` is a client that is flagged as one, `absent` has not reported yet.
 */
export function aCopy(name: string, node: string, diskState = "UpToDate", more: object = {}): Resource {
  const client = diskState === "Diskless" ? { flags: ["DISKLESS", "DRBD_DISKLESS"] } : {};
  const volume = { volume_number: 0, ...(diskState === "absent" ? {} : { state: { disk_state: diskState } }) };
  return resource.parse({
    name,
    node_name: node,
    layer_object: { type: "DRBD", children: [{ type: "STORAGE" }] },
    ...(diskState === "absent" ? {} : { state: { in_use: false } }),
    volumes: [volume],
    ...client,
    ...more,
  });
}

/** What LINSTOR says of node-1 among four nodes that are online, with these copies. */
export function dataFacts(copies: readonly Resource[] = [], more: Partial<DataFacts> = {}): DataFacts {
  const nodes = more.nodes ?? ["node-1", "node-2", "node-3", "node-4"].map((name) => aNode(name));
  return {
    node: more.node ?? (nodes[0] as LinstorNode),
    nodes,
    copies,
    snapshots: [],
    placeCounts: new Map(copies.map(({ name }) => [name, 2])),
    before: {},
    going: [],
    warnings: [],
    ...more,
  };
}

/** node-1 with the flag, and the others as they are. */
export const evacuating = { node: aNode("node-1", { flags: ["EVACUATE"] }) };
