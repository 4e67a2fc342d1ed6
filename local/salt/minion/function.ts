import type { Clock } from "../../../shared/clock.ts";

/** What a function of a minion is called with. */
export interface Call {
  readonly jid: string;
  readonly fun: string;
  readonly arg: readonly unknown[];
  readonly kwarg: Readonly<Record<string, unknown>>;
}

/** What a minion sends back for a job. */
export interface Return {
  readonly return: unknown;
  readonly retcode: number;
  readonly out?: string;
}

/** What a running function has of its process. */
export interface Process {
  readonly pid: number;
  readonly clock: Clock;
  /** Aborted when the process is killed: nothing may be done after that. */
  readonly signal: AbortSignal;
  /** The other jobs that run on this minion. */
  running(): readonly Running[];
}

/** A job that runs. `since` is in milliseconds since the epoch. */
export interface Running {
  readonly call: Call;
  readonly pid: number;
  readonly since: number;
}

/** A function of an execution module. */
export type MinionFunction = (call: Call, process: Process) => Promise<Return>;

/** Thrown by a function that cannot do what it was asked to; becomes an error text with return code 1. */
export class CommandExecutionError extends Error {
  override readonly name = "CommandExecutionError";
}

/**
 * A function of an execution module that returns a value, by the names of its arguments. As in Salt, one that returns
 * `success: false` has failed.
 */
export function moduleFunction(
  names: readonly string[],
  required: number,
  run: (args: Readonly<Record<string, unknown>>, process: Process) => Promise<unknown> | unknown,
): MinionFunction {
  return async ({ fun, arg, kwarg }, process) => {
    const args = { ...Object.fromEntries(arg.map((value, place) => [names[place], value])), ...kwarg };
    const missing = names.slice(0, required).filter((name) => args[name] === undefined);
    if (missing.length > 0)
      return {
        return:
          `Passed invalid arguments to ${fun}: ${fun.split(".")[1]}() missing ${missing.length} required positional ` +
          `argument: '${missing[0]}'\n`,
        retcode: 1,
      };
    try {
      const value = await run(args, process);
      const failed = typeof value === "object" && value !== null && "success" in value && value.success === false;
      return { return: value, retcode: failed ? 1 : 0 };
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
      return { return: `ERROR: ${error.message}`, retcode: 1, out: "nested" };
    }
  };
}
