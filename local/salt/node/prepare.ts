import { CommandExecutionError, type Process } from "../minion/function.ts";
import { isThere, type Recorded, refuseUnlessBlank, type Storage, type StorageNode } from "./node.ts";
import type { Volume } from "./volume.ts";

/** Milliseconds that a step takes; a job that is killed leaves behind what was done before. */
const creating = 200;
const formatting = 500;
const attaching = 300;

/** Extents of LVM: a logical volume has a whole number of them. */
const extent = 4 * 2 ** 20;

/** Prepares the storage of a Volume, or what is missing of it. Whether anything was changed. */
export async function prepare(node: StorageNode, volume: Volume, { clock, signal }: Process): Promise<boolean> {
  const known = node.records.get(volume.uid);
  if (known && isThere(node, known.storage)) return false;
  if (known && !node.files.has(volume.uid)) throw new CommandExecutionError(missing(known));
  if (volume.mode === "Filesystem" && !known) volume.fsType();
  const wait = (ms: number) => clock.sleep(ms, signal);
  const { source } = volume;
  if (source.kind === "sparse") {
    const file = node.files.get(volume.uid) ?? (await createSparse(node, volume, source.size, wait));
    await wait(attaching);
    node.attach(file);
    record(node, volume, file, true);
    return true;
  }
  const [path, storage] = source.kind === "raw" ? disk(node, source.path) : await logical(node, volume, source, wait);
  const other = [...node.records.values()].find((recorded) => recorded.storage === storage);
  if (other) throw new CommandExecutionError(`${path} belongs to volume ${other.name}: nothing was written to it`);
  if (!carries(volume, storage)) {
    refuseUnlessBlank(path, storage);
    await wait(formatting);
    fill(volume, storage);
  }
  record(node, volume, storage, false);
  return true;
}

/** Nothing is made in the place of what is gone: it may come back. */
function missing({ name, uid, sparse }: Recorded): string {
  if (sparse)
    return (
      `/var/lib/metalk8s/storage/sparse/${uid} is missing although it was prepared before: its data is lost, or its ` +
      "file system is not mounted. Nothing was created in its place"
    );
  return (
    `volume ${name} was prepared before, and no device of this node carries its UID ${uid} any more: its disk is ` +
    "missing or was overwritten. Nothing was written"
  );
}

async function createSparse(
  node: StorageNode,
  volume: Volume,
  size: number,
  wait: (ms: number) => Promise<void>,
): Promise<Storage> {
  await wait(creating);
  if (node.full)
    throw new CommandExecutionError(
      `the sparse file /var/lib/metalk8s/storage/sparse/${volume.uid} cannot be created: No space left on device`,
    );
  const draft = `${volume.uid}.new`;
  const file: Storage = { size };
  node.files.set(draft, file);
  await wait(formatting);
  fill(volume, file);
  // It gets its name when it is complete.
  node.files.delete(draft);
  node.files.set(volume.uid, file);
  return file;
}

function disk(node: StorageNode, path: string): [string, Storage] {
  const found = node.disks.get(path);
  if (!found) throw new CommandExecutionError(`block device ${path} cannot be found: No such file or directory`);
  return [path, found];
}

async function logical(
  node: StorageNode,
  volume: Volume,
  { group, size }: { group: string; size: number },
  wait: (ms: number) => Promise<void>,
): Promise<[string, Storage]> {
  const path = `/dev/${group}/${volume.name}`;
  const found = node.groups.get(group);
  if (!found) throw new CommandExecutionError(`Volume group "${group}" not found`);
  const tag = `metalk8s.${volume.uid}`;
  const existing = found.volumes.get(volume.name);
  if (existing && existing.tag !== tag)
    throw new CommandExecutionError(
      `the logical volume ${group}/${volume.name} exists and is not tagged as volume ${volume.name}'s: ` +
        "nothing was written",
    );
  if (existing) return [path, existing];
  await wait(creating);
  const whole = Math.ceil(size / extent) * extent;
  if (whole > found.free)
    throw new CommandExecutionError(
      `Volume group "${group}" has insufficient free space (${found.free / extent} extents): ` +
        `${whole / extent} required.`,
    );
  found.free -= whole;
  const created: Storage = { size: whole, tag, lvmUuid: `LVM-${volume.uid.replaceAll("-", "")}` };
  found.volumes.set(volume.name, created);
  return [path, created];
}

function carries({ uid, mode }: Volume, { content, partition, lvmUuid }: Storage): boolean {
  if (mode === "Filesystem") return content?.uuid === uid && content.kind !== "gpt";
  // A logical volume as a block device is taken as it is, once it is known to be blank.
  if (lvmUuid) return false;
  return partition ? partition.uuid === uid : content?.kind === "gpt" && content.uuid === uid;
}

function fill(volume: Volume, storage: Storage): void {
  if (volume.mode === "Filesystem") storage.content = { kind: volume.fsType(), uuid: volume.uid };
  else if (storage.partition) storage.partition.uuid = volume.uid;
  else if (!storage.lvmUuid) storage.content = { kind: "gpt", uuid: volume.uid };
}

function record(node: StorageNode, { name, uid, mode }: Volume, storage: Storage, sparse: boolean): void {
  const byUuid = mode === "Filesystem" ? `by-uuid/${uid}` : `by-partuuid/${uid}`;
  const path = `/dev/disk/${mode === "Block" && storage.lvmUuid ? `by-id/dm-uuid-${storage.lvmUuid}` : byUuid}`;
  node.records.set(uid, { name, uid, path, storage, sparse });
}
