import { type ParseArgsConfig, parseArgs } from "node:util";
import { Complaint } from "./complaint.ts";

/**
 * Reads flags.
 *
 * @throws Complaint that says by which command's `--help` they are explained.
 */
export function parseFlags<T extends ParseArgsConfig>(command: string, config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    // Node's own sentences name the flag, but go on about positional arguments.
    const [sentence = ""] = (error as Error).message.split(". ");
    throw new Complaint(`${sentence.replace(/\.$/, "")}. See ${command} -- --help.`);
  }
}

/** @throws Complaint naming the flag and what it takes. */
export function wholeNumber(flag: string, text: string, least: number, most = Number.MAX_SAFE_INTEGER): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  const range = most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`;
  throw new Complaint(`${flag} takes a whole number ${range}, not ${JSON.stringify(text)}.`);
}
