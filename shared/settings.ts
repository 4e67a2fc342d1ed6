import type { output, ZodError, ZodObject } from "zod";

/** A setting that cannot be used. Its message names the environment variable, the value and what was expected. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

/** `excludedNamespaces` is set by the environment variable `EXCLUDED_NAMESPACES`. */
export function variableOf(setting: string): string {
  return setting.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/**
 * Reads a rule's settings from environment variables. An empty variable counts as absent, as an admin's patch that
 * blanks a value means "the default".
 *
 * @throws SettingsError naming every variable at fault.
 */
export function readSettings<Schema extends ZodObject>(
  schema: Schema,
  environment: Readonly<Record<string, string | undefined>>,
): output<Schema> {
  const values: Record<string, string> = {};
  for (const setting of Object.keys(schema.shape)) {
    const value = environment[variableOf(setting)];
    if (value) values[setting] = value;
  }
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  const faults = result.error.issues.map((issue) => {
    const setting = String(issue.path[0]);
    return `${variableOf(setting)} is ${JSON.stringify(values[setting] ?? "")}: ${expectation(issue)}.`;
  });
  throw new SettingsError(faults.join(" "));
}

/** In the words of a person who writes an environment variable, not a program. */
function expectation(issue: Issue): string {
  if ("origin" in issue && issue.origin === "string") return issue.message;
  switch (issue.code) {
    case "invalid_value":
      return `expected one of ${issue.values.join(", ")}`;
    case "invalid_type":
      return `expected ${issue.expected === "int" ? "a whole number" : `a ${issue.expected}`}`;
    case "too_small":
      return `expected ${issue.inclusive ? "at least" : "more than"} ${issue.minimum}`;
    case "too_big":
      return `expected ${issue.inclusive ? "at most" : "less than"} ${issue.maximum}`;
  }
  return issue.message;
}

type Issue = ZodError["issues"][number];
