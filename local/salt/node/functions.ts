import { type MinionFunction, moduleFunction, type Process, type Running } from "../minion/function.ts";
import type { Recorded, StorageNode } from "./node.ts";
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
  const { path, size } = node.records.get(uid) as Recorded;
  return { changed, path, device: path, size: String(size) };
}

async function takenBack(node: StorageNode, given: unknown, process: Process): Promise<object> {
  // What was never prepared may be wrong in it.
  const { uid } = (given as GivenVolume).metadata;
  await lock(uid, process);
  await process.clock.sleep(takingBack, process.signal);
  const changed = [node.files.delete(`${uid}.new`), node.files.delete(uid), node.records.delete(uid)].includes(true);
  return { changed, uid };
}

interface GivenVolume {
  readonly metadata: { readonly uid: string };
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

function deviceName(node: StorageNode, path: string): object {
  const [uid = "", found] = [...node.records].find(([, record]) => record.path === path) ?? [];
  const loop = node.files.get(uid)?.loop;
  if (!found || loop === undefined) return { success: false, result: `device \`${path}\` not found` };
  return { success: true, result: `loop${loop}${found.isPartition ? "p1" : ""}` };
}
