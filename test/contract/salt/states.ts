import { CommandExecutionError, type MinionFunction, moduleFunction } from "../../../local/salt/minion/function.ts";
import { RenderError, type Sls, stateSls } from "../../../local/salt/minion/states.ts";

/** For the stand-in the same functions and states as in the folder `states`. */
export function functionsForContract(): Readonly<Record<string, MinionFunction>> {
  const starts = new Map<string, number>();
  const deviceInfo = moduleFunction(["name", "seconds"], 1, async ({ name, seconds }, { clock, signal }) => {
    const volume = String(name);
    starts.set(volume, (starts.get(volume) ?? 0) + 1);
    await clock.sleep(Number(seconds ?? 0) * 1000, signal);
    if (volume === "bad") throw new CommandExecutionError("volume bad not found in pillar");
    return { size: "1073741824", path: `/dev/disk/by-uuid/${volume}` };
  });
  const deviceName = moduleFunction(["path"], 1, ({ path }) => {
    const count = starts.get(String(path));
    return count === undefined
      ? { success: false, result: `device \`${path}\` not found` }
      : { success: true, result: String(count) };
  });
  const init: Sls = (pillar, process) => {
    const volume = String(pillar.volume ?? "none");
    const fun = "metalk8s_volumes.device_info";
    const prepare = async (test: boolean) => {
      if (test) return { result: null, comment: `Module function(s) ${fun} is set to execute` };
      const kwarg = { name: `good-${volume}`, seconds: pillar.volume_seconds ?? 0 };
      const { return: returned } = await deviceInfo({ jid: "", fun, arg: [], kwarg }, process);
      return { result: true, comment: `${fun}: Success`, changes: { [fun]: returned } };
    };
    const id = `prepare-${volume}`;
    return [
      { id, fun: "module.run", name: id, run: prepare },
      ...(volume === "bad"
        ? [
            {
              id: "format-bad",
              fun: "test.fail_with_changes",
              name: "unsupported filesystem",
              run: () => ({ result: false, comment: "Failure!" }),
            },
            {
              id: "mount-bad",
              fun: "test.nop",
              name: "mount-bad",
              require: ["format-bad"],
              run: () => ({ result: true, comment: "Success!" }),
            },
          ]
        : []),
    ];
  };
  const broken: Sls = () => {
    throw new RenderError("Jinja variable 'no_such_function' is undefined; line 4\n\n---\n[...]\n---");
  };
  return {
    "state.sls": stateSls({ "metalk8s.volumes": init, "metalk8s.volumes.broken": broken }),
    "metalk8s_volumes.device_info": deviceInfo,
    "metalk8s_volumes.device_name": deviceName,
  };
}
