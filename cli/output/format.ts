import type { Command } from "commander";
import { Option } from "commander";
import { stringify } from "yaml";

/** How an answer is printed, where it is not for people. */
export type Format = "json" | "yaml";

/** Adds `-o`. */
export const withFormat = (command: Command): Command =>
  command.addOption(new Option("-o, --output <FORMAT>", "print the answer for programs").choices(["json", "yaml"]));

/** An answer as JSON or YAML, with a line's end. */
export function formatted(answer: object, format: Format): string {
  return format === "json" ? `${JSON.stringify(answer, null, 2)}\n` : stringify(answer);
}
