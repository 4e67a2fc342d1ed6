import type { Command } from "commander";
import { Option } from "commander";
import { Document, type ToStringOptions, visit } from "yaml";
import { visible } from "../../shared/terminal/visible.ts";

/** How an answer is printed, where it is not for people. */
export type Format = "json" | "yaml";

/** Adds `-o`; `choices` beyond JSON and YAML are the command's own. */
export const withFormat = (command: Command, choices: readonly string[] = ["json", "yaml"]): Command =>
  command.addOption(new Option("-o, --output <FORMAT>", describeFormat(choices)).choices([...choices]));

const describeFormat = (choices: readonly string[]) =>
  choices.length > 2 ? "print the answer for programs, or in another way" : "print the answer for programs";

/** An answer as JSON or YAML, with a line's end. */
export function formatted(answer: object, format: Format): string {
  return format === "json" ? `${visible(JSON.stringify(answer, null, 2))}\n` : asYaml(answer);
}

/** YAML that is safe to show on a terminal, and means the same: control characters stand in double quotes, escaped. */
export function asYaml(value: unknown, options: ToStringOptions = {}): string {
  const document = new Document(value);
  visit(document, {
    Scalar(_, scalar) {
      if (typeof scalar.value === "string" && visible(scalar.value) !== scalar.value) scalar.type = "QUOTE_DOUBLE";
    },
  });
  return visible(document.toString(options));
}
