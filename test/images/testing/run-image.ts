import { execFile } from "node:child_process";
import { join } from "node:path";

/** How a program ended, and what it said. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const root = join(import.meta.dirname, "../../..");

/** Runs `npm run image`, as npm would, with no more of the environment than it needs. */
export const runImage = (args: readonly string[], environment?: NodeJS.ProcessEnv): Promise<Outcome> =>
  runCommand("build/images/main.ts", args, environment);

/** Runs a command of the repository in the same way. */
export const runCommand = (file: string, args: readonly string[], environment?: NodeJS.ProcessEnv): Promise<Outcome> =>
  run(process.execPath, [join(root, file), ...args], environment);

/** Runs a program. A status other than zero resolves, too. */
export function run(program: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  // Behind a proxy that has a certificate of its own, npm fetches nothing without the last one.
  const { PATH, HOME, NODE_EXTRA_CA_CERTS } = process.env;
  return new Promise((resolve) => {
    const options = { env: { PATH, HOME, NODE_EXTRA_CA_CERTS, ...environment }, maxBuffer: 2 ** 28 };
    execFile(program, args, options, (error, stdout, stderr) => {
      const code = error ? (typeof error.code === "number" ? error.code : 255) : 0;
      resolve({ code, stdout, stderr: error && !stderr ? error.message : stderr });
    });
  });
}
