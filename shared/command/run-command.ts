import { complain } from "./user-error.ts";

/**
 * Runs a command to its exit code: what it returns, or that of {@link complain}, or 130 and 143 on SIGINT and SIGTERM.
 * A reader who has seen enough, as `head` has, ends it too.
 */
export async function runCommand(run: () => Promise<number>): Promise<void> {
  // By a signal alone a process ends without what it has to take away.
  process.once("SIGINT", () => process.exit(130));
  process.once("SIGTERM", () => process.exit(143));
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => process.exit());
  process.exitCode = await run().catch(complain);
}
