import { complain, UserError } from "./user-error.ts";

/** The exit code after Ctrl-C. */
export const interrupted = 130;

/**
 * Runs a command to its exit code: what it returns, or that of {@link complain}, or 130 and 143 on SIGINT and SIGTERM.
 * A reader who has seen enough, as `head` has, ends it too. Where its output cannot be written, as on a full disk, it
 * ends with 2.
 */
export async function runCommand(run: () => Promise<number>): Promise<void> {
  // By a signal alone a process ends without what it has to take away.
  process.once("SIGINT", () => process.exit(interrupted));
  process.once("SIGTERM", () => process.exit(143));
  for (const stream of [process.stdout, process.stderr]) stream.on("error", outputFails);
  const code = await run().catch(complain);
  process.exitCode ??= code;
}

function outputFails(error: NodeJS.ErrnoException): never {
  if (error.code === "EPIPE") process.exit();
  complain(new UserError(`The output could not be written: ${error.message}`));
  process.exit(2);
}
