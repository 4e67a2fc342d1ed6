import type { Call, MinionFunction, Process, Return } from "./function.ts";

/** One state of an SLS. */
export interface State {
  readonly id: string;
  /** `<module>.<function>`, for example `metalk8s_volumes.prepared`. */
  readonly fun: string;
  readonly name: string;
  /** Ids of states that must have succeeded. */
  readonly require?: readonly string[];
  /** `test` is true when nothing may be changed; the result is `null` then. */
  run(test: boolean): Promise<Result> | Result;
}

/** How one state ended. */
export interface Result {
  readonly result: boolean | null;
  readonly comment: string;
  readonly changes?: object;
}

/** An SLS file: its states, for a pillar. Throws a {@link RenderError} where its template does not render. */
export type Sls = (pillar: Readonly<Record<string, unknown>>, process: Process) => readonly State[];

/** What a template says that does not render. */
export class RenderError extends Error {
  override readonly name = "RenderError";
}

/** `state.sls` over the SLS files of one environment, by their names. */
export function stateSls(files: Readonly<Record<string, Sls>>, saltenv = "base"): MinionFunction {
  return async (call, process) => {
    // A second run does not wait: it is refused.
    const [busy] = process.running().filter(({ call }) => call.fun.startsWith("state."));
    if (busy) return refused(conflictWith(busy.call, busy.pid, busy.since));
    const mods = String(call.kwarg.mods ?? call.arg[0] ?? "");
    const env = String(call.kwarg.saltenv ?? saltenv);
    const missing = `No matching sls found for '${mods}' in env '${env}'`;
    if (env !== saltenv) return refused(`No matching salt environment for environment '${env}' found`, missing);
    const sls = files[mods];
    if (!sls) return refused(missing);
    let states: readonly State[];
    try {
      states = sls((call.kwarg.pillar ?? {}) as Record<string, unknown>, process);
    } catch (error) {
      if (!(error instanceof RenderError)) throw error;
      return refused(`Rendering SLS '${env}:${mods}' failed: ${error.message}`);
    }
    return run(states, mods, call.kwarg.test === true, process);
  };
}

const refused = (...lines: string[]): Return => ({ return: lines, retcode: 1, out: "highstate" });

function conflictWith({ fun, jid }: Call, pid: number, since: number): string {
  const moment = new Date(since);
  const month = moment.toLocaleString("en", { month: "short", timeZone: "UTC" });
  const [day, time] = [moment.toISOString().slice(8, 10), moment.toISOString().slice(11, 23)];
  return (
    `The function "${fun}" is running as PID ${pid} and was started at ${moment.getUTCFullYear()}, ${month} ${day} ` +
    `${time}000 with jid ${jid}`
  );
}

async function run(states: readonly State[], mods: string, test: boolean, { clock, signal }: Process): Promise<Return> {
  const done = new Map<string, boolean>();
  const returned: Record<string, object> = {};
  for (const [place, state] of states.entries()) {
    signal.throwIfAborted();
    const begun = clock.now();
    const failed = (state.require ?? []).filter((id) => done.get(id) === false);
    const {
      result,
      comment,
      changes = {},
    } = failed.length > 0
      ? { result: false, comment: `One or more requisite failed: ${failed.map((id) => `${mods}.${id}`).join(", ")}` }
      : await state.run(test);
    done.set(state.id, result !== false);
    const [module, fun] = state.fun.split(".");
    returned[`${module}_|-${state.id}_|-${state.name}_|-${fun}`] = {
      name: state.name,
      changes,
      comment,
      result,
      __sls__: mods,
      __run_num__: place,
      start_time: new Date(begun).toISOString().slice(11, 23).padEnd(15, "0"),
      duration: clock.now() - begun,
      __id__: state.id,
    };
  }
  const failed = [...done.values()].includes(false);
  return { return: returned, retcode: failed ? 2 : 0, out: "highstate" };
}
