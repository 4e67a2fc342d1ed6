/** A sparse file that holds the data of a Volume. */
export interface SparseFile {
  readonly size: number;
  /** The number of the loop device that it is attached to. */
  loop?: number;
}

/** What is recorded on the node about a Volume that was prepared. */
export interface Recorded {
  readonly name: string;
  readonly path: string;
  /** Of the device that holds the data, in bytes. */
  readonly size: number;
  /** The data is in the one partition of a table. */
  readonly isPartition: boolean;
}

/** The storage of one node: sparse files, no disks and no volume groups. It outlives the minion. */
export interface StorageNode {
  readonly id: string;
  /** By the uid of their Volume; `.new` behind it while one is made. */
  readonly files: Map<string, SparseFile>;
  /** By the uid of the Volume. */
  readonly records: Map<string, Recorded>;
  /** Whether the file system that the sparse files lie in has no room left. */
  full: boolean;
  /** Attaches a sparse file to a loop device that is free. */
  attach(file: SparseFile): void;
  /** What a restart of the machine does: loop devices may get other numbers. */
  reboot(): void;
}

/** A node with nothing on it. */
export function createNode(id: string): StorageNode {
  const files = new Map<string, SparseFile>();
  const attach = (file: SparseFile) => {
    if (file.loop !== undefined) return;
    const taken = new Set([...files.values()].map(({ loop }) => loop));
    let loop = 0;
    while (taken.has(loop)) loop++;
    file.loop = loop;
  };
  return {
    id,
    files,
    records: new Map(),
    full: false,
    attach,
    reboot() {
      const attached = [...files.values()].filter(({ loop }) => loop !== undefined);
      for (const file of attached) delete file.loop;
      for (const file of attached.toReversed()) attach(file);
    },
  };
}
