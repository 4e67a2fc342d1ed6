import { spawn } from "node:child_process";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { type Dispatcher, Pool } from "undici";
import { listen } from "../system-server/listen.ts";
import type { Keeper } from "./keeper.ts";
import { readOutput } from "./output.ts";

/** How to run one process of a function. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All of its environment but `PORT` and `HOST`, which are added here. */
  readonly environment: Readonly<Record<string, string>>;
}

/** One process of a function that listens. */
export interface Instance {
  readonly pid: number;
  /** Sends a request, and resolves when its answer begins. Rejects when the process goes before, or `signal` aborts. */
  send(path: string, request: InstanceRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData>;
  /** Resolves with a sentence once the process is gone, however that came. */
  readonly ended: Promise<string>;
  /** SIGTERM, and SIGKILL to its process group after `grace` milliseconds. Resolves when it is gone. */
  stop(grace: number): Promise<void>;
}

/** A request of any method; its body may still be on its way. */
export interface InstanceRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string | Readable | null;
}

/** What is said of one connection, and not of the request. */
const hopByHop = ["connection", "expect", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"];

/** The queue-proxy asks every 50 ms with a timeout of 100 ms; a process on loopback answers faster than a pod. */
const probeInterval = 20;
const probeTimeout = 100;

/**
 * Starts a process in a process group of its own, so that Ctrl-C in a terminal reaches only this program, and resolves
 * when it is ready.
 *
 * Rejects with a sentence when it ends first, or is not ready within `limit` milliseconds (it is killed then), or
 * `signal` aborts.
 */
export async function startInstance(
  launch: Launch,
  keeper: Keeper,
  limit: number,
  onRecord: (record: Record<string, unknown>) => void,
  signal: AbortSignal,
): Promise<Instance> {
  const port = await freePort();
  if (signal.aborted) throw new Error("It was no longer wanted.");
  const child = spawn(launch.command, launch.args, {
    cwd: launch.cwd,
    env: { ...launch.environment, PORT: String(port), HOST: "127.0.0.1" },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const tail = readOutput(child.stdout, child.stderr, onRecord);
  const pid = child.pid;
  if (pid !== undefined) keeper.keep(pid);

  let gone = false;
  const kill = () => {
    try {
      if (pid !== undefined && !gone) process.kill(-pid, "SIGKILL");
    } catch {
      // No process is left in the group.
    }
  };
  // What it started itself must not outlive it.
  child.once("exit", kill);
  const ended = new Promise<string>((resolve) => {
    // "close" comes after the streams have ended, so that the last lines are in the message.
    child.once("close", (code, killer) => resolve(killer ? `was ended by ${killer}` : `ended with exit code ${code}`));
    child.once("error", (error) => resolve(`could not be started: ${error.message}`));
  }).then((how) => {
    gone = true;
    if (pid !== undefined) keeper.forget(pid);
    const said = tail();
    return said ? `${how}; it said:\n${said}` : how;
  });

  const deadline = Date.now() + limit;
  while (!(await isReady(port))) {
    if (gone) throw new Error(`The process ${await ended}`);
    if (signal.aborted || Date.now() > deadline) {
      kill();
      const why = signal.aborted ? "was no longer wanted" : `did not listen on PORT=${port} within ${limit / 1000} s`;
      const said = tail();
      await ended;
      throw new Error(`The process ${why}${said ? `; it said:\n${said}` : "."}`);
    }
    await Promise.race([sleep(probeInterval), ended]);
  }

  const pool = new Pool(`http://127.0.0.1:${port}`, { headersTimeout: 0, bodyTimeout: 0 });
  return {
    pid: pid!,
    ended,
    send(path, request, signal) {
      const method = request.method as Dispatcher.HttpMethod;
      const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !hopByHop.includes(name)));
      return pool.request({ path, method, headers, body: request.body, signal });
    },
    async stop(grace) {
      child.kill("SIGTERM");
      // A server that closes waits for its clients to hang up.
      void pool.close();
      const done = new AbortController();
      await Promise.race([ended, sleep(grace, undefined, { signal: done.signal }).catch(() => {})]);
      done.abort();
      kill();
      await ended;
      await pool.destroy();
    },
  };
}

function isReady(port: number): Promise<boolean> {
  const signal = AbortSignal.timeout(probeTimeout);
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", signal });
    const answer = (ready: boolean) => {
      resolve(ready);
      socket.destroy();
    };
    socket.once("connect", () => answer(true)).once("error", () => answer(false));
  });
}

/** A TCP port on loopback that nothing listens on at this moment. */
async function freePort(): Promise<number> {
  const { port, close } = await listen(createServer());
  await close();
  return port;
}
