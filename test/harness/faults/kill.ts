import type { Process } from "../simulated/process.ts";

/** What is never answered. */
export const never = () => new Promise<never>(() => {});

/** The process dies before its request is sent, or when it has been answered: it never learns of the answer. */
export const killing = {
  killed: (process: Process): Promise<never> => {
    process.kill();
    return never();
  },
  "killed when answered": async (process: Process, send: () => Promise<unknown>): Promise<never> => {
    await send();
    process.kill();
    return never();
  },
};
