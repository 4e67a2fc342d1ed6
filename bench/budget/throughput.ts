import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { figuresOf } from "../process/figures.ts";
import type { Running } from "../process/program.ts";

const load = fileURLToPath(new URL("load.ts", import.meta.url));

/** What a server answered under load. */
export interface Throughput {
  /** Events per second. */
  readonly rate: number;
  /** Events per second of its processor time: what the rate would be if no other process used the machine. */
  readonly cpuRate: number;
}

/** Loads a server that listens, over eight connections that are kept. */
export async function throughput({ pid, port }: Running, milliseconds: number): Promise<Throughput> {
  const before = figuresOf(pid).cpu;
  const { stdout } = await promisify(execFile)(process.execPath, [load, `${port}`, "8", `${milliseconds}`]);
  const result = JSON.parse(stdout) as { answered: number; milliseconds: number };
  const cpu = figuresOf(pid).cpu - before;
  return { rate: (result.answered / result.milliseconds) * 1000, cpuRate: (result.answered / cpu) * 1000 };
}
