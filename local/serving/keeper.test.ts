import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";

const parent = join(import.meta.dirname, "testing/parent.ts");

/** Resolves when the process is gone. It is no child of this process, so that no event says so. */
async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await sleep(20);
  }
}

test.each<[string, (parent: ChildProcess) => void]>([
  ["kill -9", (parent) => parent.kill("SIGKILL")],
  ["Ctrl-C without a handler", (parent) => parent.kill("SIGINT")],
])("%s of the program leaves no function behind, not even one that ignores SIGTERM", async (_, end) => {
  const program = spawn(process.execPath, [parent], { stdio: ["ignore", "pipe", "inherit"] });
  const [said] = await once(program.stdout, "data");
  const pid = Number(String(said));
  expect(process.kill(pid, 0)).toBe(true);
  end(program);
  await once(program, "exit");
  await gone(pid);
});
