import { CommandExecutionError, type MinionFunction, moduleFunction, type Process } from "../minion/function.ts";
import { type Result, type Sls, type State, stateSls } from "../minion/states.ts";
import { isThere, logicalVolumes, type Recorded, refuseUsed, type Storage, type StorageNode } from "./node.ts";
import { prepare } from "./prepare.ts";
import { readVolume } from "./volume.ts";

/** The functions of a minion on this node that the product calls: those of its own states and execution module. */
export function volumeFunctions(node: StorageNode, saltenv?: string): Readonly<Record<string, MinionFunction>> {
  return {
    "state.sls": stateSls(
      { "metalk8s.volumes": preparedSls(node), "metalk8s.volumes.unprepared": unpreparedSls(node) },
      saltenv,
    ),
    "metalk8s_volumes.device_info": moduleFunction(["name", "uid"], 1, ({ name, uid }) => info(node, name, uid)),
    "metalk8s_volumes.device_name": moduleFunction(["path"], 1, ({ path }) => deviceName(node, String(path))),
  };
}

function preparedSls(node: StorageNode): Sls {
  return (pillar, process) => {
    const all = (pillar.metalk8s as { volumes?: object } | undefined)?.volumes ?? {};
    const names = pillar.volume ? [String(pillar.volume)] : Object.keys(all).sort();
    if (names.length === 0)
      return [nothing("metalk8s-no-volumes", true, "There is no Volume in the pillar of this node.")];
    return names.map((name) => ({
      id: `metalk8s-volume-${name}-prepared`,
      fun: "metalk8s_volumes.prepared",
      name,
      run: (test) => prepared(node, pillar, name, test, process),
    }));
  };
}

async function prepared(
  node: StorageNode,
  pillar: object,
  name: string,
  test: boolean,
  process: Process,
): Promise<Result> {
  if (test) return { result: null, comment: `Storage for volume ${name} would be prepared.` };
  return explained(async () => {
    const volume = readVolume(pillar, name, node.id);
    if (!volume) {
      recordOf(node, name);
      throw new CommandExecutionError(`volume ${name} not found in pillar: it cannot be prepared without`);
    }
    const changed = await prepare(node, volume, process);
    if (!changed) return { result: true, comment: `Storage for volume ${name} is already prepared.` };
    const path = node.records.get(volume.uid)?.path;
    return {
      result: true,
      comment: `Storage for volume ${name} prepared.`,
      changes: { [name]: `prepared at ${path}` },
    };
  });
}

function unpreparedSls(node: StorageNode): Sls {
  return (pillar, process) => {
    const unnamed = "Name the Volume to take back in the pillar, as `volume`.";
    if (!pillar.volume) return [nothing("metalk8s-no-volume-named", false, unnamed)];
    const name = String(pillar.volume);
    const id = `metalk8s-volume-${name}-unprepared`;
    const run = (test: boolean) => unprepared(node, pillar, name, test, process);
    return [{ id, fun: "metalk8s_volumes.unprepared", name, run }];
  };
}

/** A state that changes nothing, and only says something. */
function nothing(id: string, result: boolean, name: string): State {
  const fun = result ? "test.succeed_without_changes" : "test.fail_without_changes";
  return { id, fun, name, run: () => ({ result, comment: result ? "Success!" : "Failure!" }) };
}

async function unprepared(
  node: StorageNode,
  pillar: object,
  name: string,
  test: boolean,
  process: Process,
): Promise<Result> {
  if (test) return { result: null, comment: `Storage for volume ${name} would be taken back.` };
  return explained(async () => {
    const uid = readVolume(pillar, name, node.id)?.uid ?? recordOf(node, name).uid;
    const storage = node.files.get(uid) ?? node.records.get(uid)?.storage;
    refuseUsed(node.records.get(uid)?.path ?? name, storage?.usedBy);
    await process.clock.sleep(takingBack, process.signal);
    // Disks and logical volumes are left with all that is on them.
    const removed = [node.files.delete(`${uid}.new`), node.files.delete(uid), node.records.delete(uid)].includes(true);
    if (!removed) return { result: true, comment: `Storage for volume ${name} is already taken back.` };
    return { result: true, comment: `Storage for volume ${name} taken back.`, changes: { [name]: "taken back" } };
  });
}

/** Milliseconds. */
const takingBack = 300;

async function explained(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof CommandExecutionError) return { result: false, comment: error.message };
    throw error;
  }
}

function recordOf(node: StorageNode, name: string, uid?: unknown): Recorded {
  const found = [...node.records.values()].find((record) => record.name === name && (!uid || record.uid === uid));
  if (found) return found;
  throw new CommandExecutionError(`volume ${name} not found in pillar, and this node has no record of it`);
}

function info(node: StorageNode, name: unknown, uid: unknown): object {
  const { path, storage } = recordOf(node, String(name), uid);
  if (!isThere(node, storage))
    throw new CommandExecutionError(
      `no device of this node holds volume ${name}: it is not prepared, not attached, or missing. Run metalk8s.volumes`,
    );
  return { size: String(deviceSize(storage)), path };
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
