import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileCache } from "./compile-cache.ts";

const start = join(import.meta.dirname, "../../local/start.ts");

/** `npm start`, running. */
export interface Program {
  /** What it said so far. */
  said(): string;
  /** Ends it as Ctrl-C does; rejects when it does not end well. */
  stop(): Promise<void>;
  /** Ends it and all its functions in the middle of what they are doing: it cleans nothing up. */
  kill(): Promise<void>;
}

/** Starts `npm start` as a process and resolves when it says that it is up. */
export async function startProgram(args: readonly string[]): Promise<Program> {
  // What it cannot clean up stays in here.
  const folder = await mkdtemp(join(tmpdir(), "holdfast-program-"));
  const child = spawn(process.execPath, [start, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...compileCache, TMPDIR: folder },
    // A group of its own, with its functions.
    detached: true,
  });
  const ended = once(child, "close") as Promise<[number | null]>;
  let said = "";
  const up = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (/Ctrl-C ends it/.test(said)) up.resolve();
    });
  void ended.then(([code]) => up.reject(new Error(`npm start ended with ${code}:\n${said}`)));
  // A test run that goes takes it along.
  const kill = () => child.kill("SIGTERM");
  process.once("exit", kill);
  await up.promise;
  return {
    said: () => said,
    async stop() {
      process.removeListener("exit", kill);
      child.kill("SIGINT");
      const [code] = await ended;
      if (code !== 0) throw new Error(`npm start ended with ${code}:\n${said}`);
      await rm(folder, { recursive: true });
    },
    async kill() {
      process.removeListener("exit", kill);
      process.kill(-(child.pid as number), "SIGKILL");
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
