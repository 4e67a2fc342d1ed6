import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const readyWithin = 180_000;

/** Processes on loopback, with a parent of their own. */
export interface Supervised {
  /** Its output goes to `<name>.log` in the folder. */
  start(name: string, command: string, args: readonly string[]): void;
  /**
   * Repeats a call until it succeeds.
   *
   * @throws Error after three minutes, and with the last lines of its log when a process ends early.
   */
  until(what: string, call: () => Promise<unknown>): Promise<void>;
  /** Stops them, last started first, and removes the folder. */
  stop(): Promise<void>;
}

/** The processes' parent, which outlives a crash of this process just long enough to end them. */
export function supervise(folder: string): Supervised {
  const script = fileURLToPath(new URL("supervisor.ts", import.meta.url));
  const supervisor: ChildProcess = spawn(process.execPath, [script, folder], {
    stdio: ["pipe", "pipe", "inherit"],
    // A group of its own: Ctrl-C in a terminal must not end etcd before the API server.
    detached: true,
  });
  const ended = Promise.withResolvers<string>();
  supervisor.stdout?.setEncoding("utf8").on("data", (names: string) => ended.resolve(names.split("\n")[0] ?? ""));
  const exit = new Promise<void>((resolve) => supervisor.once("exit", () => resolve()));

  return {
    start: (name, command, args) => supervisor.stdin?.write(`${JSON.stringify({ name, command, args })}\n`),
    async until(what, call) {
      const deadline = Date.now() + readyWithin;
      for (;;) {
        const answer = call().then(
          () => undefined,
          (error: Error) => error,
        );
        // The program that has its port in its place may never answer.
        const failure = await Promise.race([answer, ended.promise]);
        if (!failure) return;
        if (typeof failure === "string")
          throw new Error(`${failure} ended early:\n${await tail(join(folder, `${failure}.log`))}`);
        if (Date.now() > deadline) throw new Error(`Not within ${readyWithin} ms: ${what}. ${failure.message}`);
        await sleep(100);
      }
    },
    async stop() {
      supervisor.stdin?.end();
      await exit;
    },
  };
}

async function tail(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.trimEnd().split("\n").slice(-10).join("\n");
}
