import { CommandExecutionError, type Process } from "../minion/function.ts";
import type { SparseFile, StorageNode } from "./node.ts";
import type { Volume } from "./volume.ts";

/** Milliseconds that a step takes; a job that is killed leaves behind what was done before. */
const creating = 200;
const formatting = 500;
const attaching = 300;

/** Prepares the storage of a Volume, or what is missing of it. Whether anything was changed. */
export async function prepare(node: StorageNode, volume: Volume, { clock, signal }: Process): Promise<boolean> {
  const { uid, name, mode, source } = volume;
  const known = node.records.get(uid);
  const present = node.files.get(uid);
  if (known && present?.loop !== undefined) return false;
  // Nothing is made in the place of what is gone: it may come back.
  if (known && !present)
    throw new CommandExecutionError(
      `/var/lib/metalk8s/storage/sparse/${uid} is missing although it was prepared before: its data is lost, or its ` +
        "file system is not mounted. Nothing was created in its place",
    );
  if (mode === "Filesystem" && !known) volume.checkFileSystem();
  if (source.kind === "raw")
    throw new CommandExecutionError(`block device ${source.path} cannot be found: No such file or directory`);
  if (source.kind === "lvm") throw new CommandExecutionError(`Volume group "${source.group}" not found`);
  const wait = (ms: number) => clock.sleep(ms, signal);
  const file = present ?? (await createSparse(node, uid, source.size, wait));
  await wait(attaching);
  node.attach(file);
  const isPartition = mode === "Block";
  // Of a table sgdisk leaves 1 MiB before the partition, and 33 sectors behind it for the second table.
  const size = isPartition ? (Math.floor(file.size / 512) - 2048 - 33) * 512 : file.size;
  const path = `/dev/disk/${isPartition ? "by-partuuid" : "by-uuid"}/${uid}`;
  node.records.set(uid, { name, path, size, isPartition });
  return true;
}

async function createSparse(
  node: StorageNode,
  uid: string,
  size: number,
  wait: (ms: number) => Promise<void>,
): Promise<SparseFile> {
  await wait(creating);
  if (node.full)
    throw new CommandExecutionError(
      `the sparse file /var/lib/metalk8s/storage/sparse/${uid} cannot be created: No space left on device`,
    );
  const draft = `${uid}.new`;
  const file: SparseFile = { size };
  node.files.set(draft, file);
  await wait(formatting);
  // It gets its name when it is complete.
  node.files.delete(draft);
  node.files.set(uid, file);
  return file;
}
