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
export type StorageNode = ReturnType<typeof createNode>;

/** A node with nothing on it. */
export function createNode(id: string) {
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
    /** By the uid of their Volume; `.new` behind it while one is made. */
    files,
    /** By the uid of the Volume. */
    records: new Map(),
    /** Whether the file system that the sparse files lie in has no room left. */
    full: false,
    /** Attaches a sparse file to a loop device that is free. */
    attach,
    /** What a restart of the machine does: loop devices may get other numbers. */
    reboot() {
      const attached = [...files.values()].filter(({ loop }) => loop !== undefined);
      for (const file of attached) delete file.loop;
      for (const file of attached.toReversed()) attach(file);
    },
  };
}
