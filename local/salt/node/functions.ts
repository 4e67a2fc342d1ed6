import {
  CommandExecutionError,
  type MinionFunction,
  moduleFunction,
  type Process,
  type Running,
} from "../minion/function.ts";
import { isThere, logicalVolumes, type Recorded, refuseUsed, type Storage, type StorageNode } from "./node.ts";
import { prepare } from "./prepare.ts";
import { readVolume } from "./volume.ts";

/** The functions of a minion on this node that the product calls. */
export function volumeFunctions(node: StorageNode): Readonly<Record<string, MinionFunction>> {
  return {
    "metalk8s_volumes.prepare": moduleFunction(["volume"], 1, ({ volume }, process) => made(node, volume, process)),
    "metalk8s_volumes.unprepare": moduleFunction(["volume"], 1, ({ volume }, process) =>
      takenBack(node, volume, process),
    ),
    "metalk8s_volumes.device_name": moduleFunction(["path"], 1, ({ path }) => deviceName(node, String(path))),
  };
}

async function made(node: StorageNode, given: unknown, process: Process): Promise<object> {
  const volume = readVolume(given, node.id);
  const { uid } = volume;
  await lock(uid, process);
  const changed = await prepare(node, volume, process);
  const { path, storage } = recordOf(node, volume.name, uid);
  return { changed, path, device: path, size: String(deviceSize(storage)) };
}

async function takenBack(node: StorageNode, given: unknown, process: Process): Promise<object> {
  // What was never prepared may be wrong in it.
  const { name, uid } = (given as GivenVolume).metadata;
  await lock(uid, process);
  const storage = node.files.get(uid) ?? node.records.get(uid)?.storage;
  refuseUsed(node.records.get(uid)?.path ?? name, storage?.usedBy);
  await process.clock.sleep(takingBack, process.signal);
  const changed = [node.files.delete(`${uid}.new`), node.files.delete(uid), node.records.delete(uid)].includes(true);
  return { changed };
}

interface GivenVolume {
  readonly metadata: { readonly name: string; readonly uid: string };
}

/** Waits until no other process works for the Volume: the earlier one goes first. */
async function lock(uid: string, { pid, clock, signal, running }: Process): Promise<void> {
  const works = ({ call, pid: other }: Running) =>
    other < pid && (call.kwarg.volume as Partial<GivenVolume> | undefined)?.metadata?.uid === uid;
  while (running().some(works)) await clock.sleep(lockPause, signal);
}

/** Milliseconds. */
const lockPause = 200;

/** Milliseconds. */
const takingBack = 300;

function recordOf(node: StorageNode, name: string, uid?: unknown): Recorded {
  const found = [...node.records.values()].find((record) => record.name === name && (!uid || record.uid === uid));
  if (found) return found;
  throw new CommandExecutionError(`volume ${name} has no record on this node`);
}

/**
 * What `blockdev --getsize64` says of the device that holds the data: of a partition table, the one partition in it.
 */
function deviceSize({ size, content }: Storage): number {
  // sgdisk leaves 1 MiB before it, and 33 sectors behind it for the second table.
  return content?.kind === "gpt" ? (Math.floor(size / 512) - 2048 - 33) * 512 : size;
}

function deviceName(node: StorageNode, path: string): object {
  const found = [...node.records.values()].find((record) => record.path === path);
  if (!found || !isThere(node, found.storage)) return { success: false, result: `device \`${path}\` not found` };
  const { loop, content } = found.storage;
  const disk = [...node.disks].find(([, storage]) => storage === found.storage)?.[0].replace(/^\/dev\//, "");
  const name = loop === undefined ? (disk ?? `dm-${logicalVolumes(node).indexOf(found.storage)}`) : `loop${loop}`;
  if (content?.kind !== "gpt") return { success: true, result: name };
  return { success: true, result: /\d$/.test(name) ? `${name}p1` : `${name}1` };
}
