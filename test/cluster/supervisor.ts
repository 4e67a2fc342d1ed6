/**
 * Runs the processes of a control plane for a test run: `node supervisor.ts FOLDER`, one `{name, command, args}` per
 * line on standard input, output of each in `FOLDER/<name>.log`. Prints the name of a process that ended by itself.
 * When standard input ends, because the test run is over or has died, it stops them, last started first, and removes
 * FOLDER.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

interface Order {
  name: string;
  command: string;
  args: string[];
}

const stopWithin = 10_000;
/**
 * Go's garbage collector takes a seventh of an API server's time by default; these live for minutes, and memory is
 * cheaper.
 */
const env = { ...process.env, GOGC: "400" };
const folder = process.argv[2] ?? "";
const running: { name: string; child: ChildProcess; ended: Promise<void> }[] = [];
let stopping = false;

function start({ name, command, args }: Order): void {
  const log = openSync(join(folder, `${name}.log`), "a");
  const child = spawn(command, args, { stdio: ["ignore", log, log], cwd: folder, env });
  closeSync(log);
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      resolve();
      if (!stopping) process.stdout.write(`${name}\n`);
    };
    child.once("exit", end).once("error", end);
  });
  running.push({ name, child, ended });
}

async function stop(): Promise<void> {
  if (stopping) return;
  stopping = true;
  for (const { child, ended } of running.reverse()) {
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), stopWithin);
    await ended;
    clearTimeout(timer);
  }
  rmSync(folder, { recursive: true, force: true });
  process.exit();
}

process.stdout.on("error", () => {});
process.on("SIGTERM", stop).on("SIGINT", stop).on("SIGHUP", stop);
const orders = createInterface({ input: process.stdin });
orders.on("line", (line) => start(JSON.parse(line)));
orders.on("close", stop);
