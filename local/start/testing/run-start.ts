import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { compileCache } from "../../../test/harness/compile-cache.ts";

const program = join(import.meta.dirname, "../../start.ts");

/** How a run of `npm start` ended, and what it said. */
export interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs `npm start` as a process, with a folder of its own for temporary files. `hear` is called with all that was said,
 * each time something is, and may send a signal.
 */
export async function runStart(
  args: readonly string[],
  temporary: string,
  hear: (out: string, kill: (signal: NodeJS.Signals) => void) => void = () => {},
  environment: Readonly<Record<string, string>> = {},
): Promise<Run> {
  const env = { ...compileCache, PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: temporary, ...environment };
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  let err = "";
  // Once: a second signal would end it before it has cleaned up.
  let isKilled = false;
  const kill = (signal: NodeJS.Signals) => {
    if (!isKilled) child.kill(signal);
    isKilled = true;
  };
  child.stdout.setEncoding("utf8").on("data", (text) => {
    out += text;
    hear(out, kill);
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    err += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, out, err };
}
