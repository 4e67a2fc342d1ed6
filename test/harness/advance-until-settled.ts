import type { Server } from "./server.ts";

/** Lets a server's time pass until a promise settles, and settles as it does. Fails after five minutes of that time. */
export async function advanceUntilSettled<T>(
  { eventually }: Pick<Server, "eventually">,
  what: string,
  promise: Promise<T>,
): Promise<T> {
  let settled = false;
  const settle = () => {
    settled = true;
  };
  promise.then(settle, settle);
  await eventually(what, () => settled, 300_000);
  return promise;
}
