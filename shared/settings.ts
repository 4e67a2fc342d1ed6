import type { output, ZodObject } from "zod";

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
  const faults = result.error.issues.map(({ path, message }) => {
    const setting = String(path[0]);
    return `${variableOf(setting)} is ${JSON.stringify(values[setting] ?? "")}: ${message}.`;
  });
  throw new SettingsError(faults.join(" "));
}
