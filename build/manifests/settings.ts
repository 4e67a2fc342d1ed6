import { toJSONSchema, type ZodObject } from "zod";
import { variableOf } from "../../shared/settings.ts";
import type { Declared } from "./declared.ts";

/** A setting as an admin meets it: an environment variable of the function. */
export interface Setting {
  readonly variable: string;
  readonly value: string;
  /** The values it may have, where they can be counted. */
  readonly values?: readonly string[];
  readonly description: string;
  /** What its declaration says of other values. */
  readonly form?: Form;
}

/** Words of JSON Schema. */
interface Form {
  readonly pattern?: string;
  readonly format?: string;
  readonly maxLength?: number;
  readonly type?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

interface Property extends Form {
  readonly default?: unknown;
  readonly description?: string;
  readonly enum?: readonly unknown[];
}

/** The settings that every function has. */
const common: readonly Setting[] = [
  {
    variable: "LOG_LEVEL",
    value: "info",
    values: ["debug", "info", "warn", "error"],
    description: "The lowest level that is logged; `debug` also says why an event changed nothing.",
  },
];

/**
 * The settings of a function's own, in the order of its declaration, and those of every function after them.
 *
 * @throws Error when a setting has no default or no description.
 */
export function settingsOf({ name, settings, common: shared }: Declared): readonly Setting[] {
  const own = settingsOfSchema(name, settings);
  const elsewhere = new Set(Object.keys(shared?.shape ?? {}).map(variableOf));
  return own.filter(({ variable }) => !elsewhere.has(variable));
}

/**
 * What the functions of a system are set by together: the settings that they share, and those of the external systems
 * that they use, each once.
 */
export function commonSettingsOf(functions: readonly Declared[]): readonly Setting[] {
  const found = functions.flatMap(({ name, common: shared, systems = {} }) => [
    ...(shared ? propertiesOf(name, shared) : []),
    ...Object.values(systems).flatMap(({ name, settings }) => propertiesOf(name, settings)),
  ]);
  return [...new Map(found.map((setting) => [setting.variable, setting])).values()];
}

/** The same for a part that has settings without being a function. */
export function settingsOfSchema(name: string, settings: ZodObject): readonly Setting[] {
  return [...propertiesOf(name, settings), ...common];
}

function propertiesOf(name: string, settings: ZodObject): readonly Setting[] {
  const properties = (toJSONSchema(settings, { io: "input" }).properties ?? {}) as Record<string, Property>;
  return Object.entries(properties).map(([setting, property]): Setting => {
    const { default: value, description, ...form } = property;
    if (value === undefined) throw new Error(`The setting ${setting} of ${name} has no default.`);
    if (!description) throw new Error(`The setting ${setting} of ${name} has no description.`);
    const values = property.enum ? { values: property.enum.map(String) } : {};
    return { variable: variableOf(setting), value: String(value), ...values, description, form };
  });
}
