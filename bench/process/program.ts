import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A Node program that listens on `PORT`. */
export interface Program {
  /** What `node` is called with. */
  readonly args: readonly string[];
  /** The Node that runs it; the one that runs this by default. */
  readonly node?: string;
  /** All of its environment but `PORT`. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A program as a process. */
export interface Running {
  readonly pid: number;
  readonly port: number;
  /** When it was started, by `performance.now()`. */
  readonly since: number;
  /** Lines on standard output, as they come; only where they were asked for. */
  readonly output: NodeJS.ReadableStream | null;
  /** Kills it, and resolves when it is gone. */
  kill(): Promise<void>;
}

const living = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of living) child.kill("SIGKILL");
});

/** Starts a program on a free port; it does not listen yet. */
export async function start(
  { args, node = process.execPath, environment = {} }: Program,
  output: "pipe" | "ignore" = "ignore",
): Promise<Running> {
  const port = await freePort();
  const since = performance.now();
  const child = spawn(node, args, {
    env: { ...environment, PORT: String(port) },
    stdio: ["ignore", output, "inherit"],
  });
  living.add(child);
  const ended = once(child, "exit").finally(() => living.delete(child));
  await once(child, "spawn");
  return {
    pid: child.pid as number,
    port,
    since,
    output: child.stdout,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Starts a program and waits until it takes connections. */
export async function startListening(program: Program): Promise<Running> {
  const running = await start(program);
  for (let attempt = 0; attempt < 1000; attempt++) {
    const { status } = await fetch(`http://127.0.0.1:${running.port}/`).catch(() => ({ status: 0 }));
    if (status > 0) return running;
    await sleep(10);
  }
  await running.kill();
  throw new Error(`It did not listen within 10 s: node ${program.args.join(" ")}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, "listening");
  const address = server.address();
  const closed = once(server, "close");
  server.close();
  await closed;
  return typeof address === "object" && address ? address.port : 0;
}
