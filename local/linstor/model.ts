/** A satellite process: what listens on an address, whether or not a node is registered there. */
export interface Satellite {
  running: boolean;
  /** Stopped in the middle, its connection still open. */
  hanging: boolean;
  /** Cannot take resources down: a device is held open. */
  failing: boolean;
  /** Directories that exist, for pools. */
  directories: Set<string>;
}

export interface Node {
  name: string;
  uuid: string;
  flags: Set<string>;
  props: Record<string, string>;
  interface: { name: string; address: string; port: number; uuid: string };
  connection: "ONLINE" | "OFFLINE" | "CONNECTED";
  offlineSince: number | undefined;
}

export interface Pool {
  name: string;
  node: string;
  kind: string;
  props: Record<string, string>;
  uuid: string;
}

export interface Definition {
  name: string;
  group: string;
  uuid: string;
  props: Record<string, string>;
  drbd: boolean;
}

export interface Resource {
  name: string;
  node: string;
  uuid: string;
  pool: string;
  flags: Set<string>;
  props: Record<string, string>;
  /** Absent until the satellite has made it. */
  deployed: boolean;
  inUse: boolean;
  /** As DRBD has it; overtaken by `sync` while that goes on. */
  disk: string;
  sync: { readonly from: number; readonly until: number } | undefined;
}

export interface Snapshot {
  name: string;
  resource: string;
  uuid: string;
  nodes: string[];
}

/** All that a controller keeps in its database. */
export interface Database {
  nodes: Node[];
  pools: Pool[];
  groups: Map<string, { placeCount?: number; uuid: string }>;
  definitions: Definition[];
  resources: Resource[];
  snapshots: Snapshot[];
  props: Record<string, string>;
}

export const emptyDatabase = (): Database => ({
  nodes: [],
  pools: [],
  groups: new Map(),
  definitions: [],
  resources: [],
  snapshots: [],
  props: { "DrbdOptions/AutoEvictAllowEviction": "True", "DrbdOptions/auto-add-quorum-tiebreaker": "True" },
});

export const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
export const isDiskless = ({ flags }: Resource) => flags.has("DISKLESS");
export const isLeaving = ({ flags }: Resource) => flags.has("DELETE") || flags.has("DRBD_DELETE");

/** The disk state at a moment, as DRBD would say it. */
export function diskState({ disk, sync }: Resource, now: number): string {
  if (!sync || now >= sync.until) return sync ? "UpToDate" : disk;
  if (now <= sync.from) return "Inconsistent";
  return `SyncTarget(${(((now - sync.from) / (sync.until - sync.from)) * 100).toFixed(2)}%)`;
}
