import { complain } from "../shared/command/user-error.ts";
import { help, readOptions, type StartOptions } from "./start/options.ts";
import { inSession } from "./start/session.ts";

/** Returns the exit code. */
async function main(args: readonly string[]): Promise<number> {
  let options: StartOptions;
  try {
    options = readOptions(args);
  } catch (error) {
    return complain(error);
  }
  if (options.help) {
    process.stdout.write(help);
    return 0;
  }
  return inSession(options.tour === "only" ? 130 : 0, async (session) => {
    // Later, because it takes longest by far: a person who has mistyped a flag, or wants help, need not wait.
    const { run } = await import("./start/run.ts");
    return run(options, session);
  });
}

process.exitCode = await main(process.argv.slice(2));
