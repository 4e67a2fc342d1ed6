import { CommandExecutionError } from "../minion/function.ts";

/**
 * What lies on a device or in a file: a file system with its UUID, a partition table with its partition's, or foreign
 * data.
 */
export interface Content {
  readonly kind: "ext4" | "xfs" | "gpt" | "other";
  /** Of the file system, or of the one partition. */
  readonly uuid?: string;
  /** What it is, in words, where it is foreign. */
  readonly words?: string;
}

/** A disk, a partition, a logical volume, or a sparse file. */
export interface Storage {
  readonly size: number;
  content?: Content;
  /** A partition: it has a UUID in the table of its disk. */
  partition?: { uuid: string };
  /** Who uses it, in words: mounted, part of something. */
  usedBy?: string;
  /** Of a sparse file that is attached. */
  loop?: number;
  /** Of a logical volume: its tag, and LVM's own UUID. */
  readonly tag?: string;
  readonly lvmUuid?: string;
}

/** What is recorded on the node about a Volume that was prepared. */
export interface Recorded {
  readonly name: string;
  readonly uid: string;
  readonly path: string;
  readonly storage: Storage;
  readonly sparse: boolean;
}

/** The storage of one node, as far as states see it. It outlives the minion. */
export interface StorageNode {
  readonly id: string;
  /** By their path under /dev. */
  readonly disks: Map<string, Storage>;
  readonly groups: Map<string, { free: number; readonly volumes: Map<string, Storage> }>;
  /** Sparse files by the uid of their Volume; `.new` behind it while one is made. */
  readonly files: Map<string, Storage>;
  readonly records: Map<string, Recorded>;
  /** Whether the file system that the sparse files lie in has no room left. */
  full: boolean;
  /** Attaches a sparse file to a loop device that is free. */
  attach(file: Storage): void;
  /** What a restart of the machine does: nothing is mounted, and loop devices may get other numbers. */
  reboot(): void;
}

/** A node with nothing on it. */
export function createNode(id: string): StorageNode {
  const files = new Map<string, Storage>();
  const disks = new Map<string, Storage>();
  const attach = (file: Storage) => {
    if (file.loop !== undefined) return;
    const taken = new Set([...files.values()].map(({ loop }) => loop));
    let loop = 0;
    while (taken.has(loop)) loop++;
    file.loop = loop;
  };
  return {
    id,
    disks,
    groups: new Map(),
    files,
    records: new Map(),
    full: false,
    attach,
    reboot() {
      for (const storage of [...files.values(), ...disks.values()]) delete storage.usedBy;
      const attached = [...files.values()].filter(({ loop }) => loop !== undefined);
      for (const file of attached) delete file.loop;
      for (const file of attached.toReversed()) attach(file);
    },
  };
}

/** Whether a device holds the data of a Volume at the moment: a sparse file does when it is attached. */
export function isThere(node: StorageNode, storage: Storage): boolean {
  const sparse = [...node.files.values()].find((file) => file === storage);
  if (sparse) return sparse.loop !== undefined;
  return [...node.disks.values(), ...logicalVolumes(node)].includes(storage);
}

/** All logical volumes, in the order in which their groups and they were made. */
export function logicalVolumes({ groups }: StorageNode): readonly Storage[] {
  return [...groups.values()].flatMap(({ volumes }) => [...volumes.values()]);
}

/** Fails where a device is used or holds what must not be overwritten. `path` is for the message. */
export function refuseUnlessBlank(path: string, { usedBy, content }: Storage): void {
  refuseUsed(path, usedBy);
  if (!content) return;
  const data = content.words ?? (content.kind === "gpt" ? "a gpt partition table" : `a ${content.kind} file system`);
  throw new CommandExecutionError(
    `${path} already holds ${data}: nothing was written to it. If that is no longer needed, wipe the device ` +
      "(wipefs --all, then overwrite its first and last MiB with zeros) and create the Volume again",
  );
}

/** Fails where a device is used. */
export function refuseUsed(path: string, usedBy: string | undefined): void {
  if (usedBy) throw new CommandExecutionError(`${path} is in use: it is ${usedBy}. Nothing was written to it`);
}
