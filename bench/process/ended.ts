import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/**
 * Waits until a process that was asked to end has ended. After `limit` milliseconds it is killed, and this rejects:
 * what was measured while it did not end may be wrong.
 */
export async function ended(child: ChildProcess, what: string, limit = 15_000): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill("SIGKILL");
  }, limit);
  await gone;
  clearTimeout(timer);
  if (late) throw new Error(`${what} did not end within ${limit / 1000} s and was killed.`);
}
