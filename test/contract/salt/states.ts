import { CommandExecutionError, type MinionFunction, moduleFunction } from "../../../local/salt/minion/function.ts";

/** For the stand-in the same functions as in the folder `states`. */
export function functionsForContract(): Readonly<Record<string, MinionFunction>> {
  const starts = new Map<string, number>();
  const prepare = moduleFunction(["name", "seconds"], 1, async ({ name, seconds }, { clock, signal }) => {
    const volume = String(name);
    starts.set(volume, (starts.get(volume) ?? 0) + 1);
    await clock.sleep(Number(seconds ?? 0) * 1000, signal);
    if (volume === "bad") throw new CommandExecutionError("volume bad is bad");
    return { size: "1073741824", path: `/dev/disk/by-uuid/${volume}` };
  });
  const deviceName = moduleFunction(["path"], 1, ({ path }) => {
    const count = starts.get(String(path));
    return count === undefined
      ? { success: false, result: `device \`${path}\` not found` }
      : { success: true, result: String(count) };
  });
  return {
    "metalk8s_volumes.prepare": prepare,
    "metalk8s_volumes.device_name": deviceName,
  };
}
