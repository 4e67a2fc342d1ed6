import type { LinstorNode } from "../linstor/node.ts";
import type { Resource } from "../linstor/resource.ts";
import type { Snapshot } from "../linstor/snapshot.ts";

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
  /** Copies, by definition, of what had a diskful copy on the node when the evacuation began; empty before. */
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
