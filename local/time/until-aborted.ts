import { type CallOff, type Clock, sleepBy } from "../../shared/clock.ts";

/** A clock whose timers are called off when `signal` aborts, so that none of them keeps a process alive. */
export function untilAborted({ now, after }: Clock, signal: AbortSignal): Clock {
  const pending = new Set<CallOff>();
  signal.addEventListener("abort", () => {
    for (const callOff of pending) callOff();
  });
  const bounded: Clock["after"] = (ms, run) => {
    if (signal.aborted) return () => {};
    const callOff = after(ms, () => {
      pending.delete(callOff);
      run();
    });
    pending.add(callOff);
    return () => {
      pending.delete(callOff);
      callOff();
    };
  };
  return { now, after: bounded, sleep: sleepBy(bounded) };
}
