import type { Command } from "commander";

/** One command of the program; each has a folder, and is listed in `program.ts`. */
export interface Subcommand {
  /** Its name, arguments and options, with a sentence about each. */
  declare(): Command;
  /** Does it, and returns the exit code. `options` are as declared; `program` has all commands. */
  run(args: readonly string[], options: never, program: Command): Promise<number>;
}
