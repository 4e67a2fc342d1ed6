import { type ParseArgsConfig, type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { UserError } from "./user-error.ts";

/**
 * Reads flags; `-h` is `--help`.
 *
 * @throws UserError that says by which command's `--help` they are explained, or that npm has kept one of them.
 */
export function parseFlags<T extends ParseArgsConfig>(
  command: string,
  config: T,
  environment: NodeJS.ProcessEnv = process.env,
): ReturnType<typeof parseArgs<T>> {
  const { options = {} } = config;
  const [kept] = Object.keys(options).filter((flag) => isKeptByNpm(flag, environment));
  if (kept) throw new UserError(`npm kept --${kept} for itself. Put -- before it: ${command} -- --${kept}`);
  try {
    return parseArgs<T>({ ...config, options: withShortHelp(options) });
  } catch (error) {
    // Node's own sentences name the flag, but go on about positional arguments.
    const [sentence = ""] = (error as Error).message.split(". ");
    throw new UserError(`${sentence.replace(/\.$/, "")}. See: ${command} -- --help`);
  }
}

const withShortHelp = (options: ParseArgsOptionsConfig): ParseArgsOptionsConfig =>
  options.help ? { ...options, help: { ...options.help, short: "h" } } : options;

/** Configuration of npm itself, which may stand in anybody's .npmrc. */
const npmsOwn = ["tag", "yes"];

/**
 * npm takes flags that stand before a `--` for its own configuration, and hands that on in the environment: the command
 * would do something else than it was asked to.
 */
export function isKeptByNpm(flag: string, environment: NodeJS.ProcessEnv): boolean {
  const value = environment[`npm_config_${flag.replaceAll("-", "_")}`];
  return !npmsOwn.includes(flag) && value !== undefined && value !== "" && value !== "false";
}

/** @throws UserError naming the flag and what it takes. */
export function wholeNumber(flag: string, text: string, least: number, most = Number.MAX_SAFE_INTEGER): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  const range = most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`;
  throw new UserError(`${flag} takes a whole number ${range}, not ${JSON.stringify(text)}.`);
}
