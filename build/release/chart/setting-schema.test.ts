import { join } from "node:path";
import { expect, test } from "vitest";
import type { ZodObject } from "zod";
import { variableOf } from "../../../shared/settings.ts";
import { loadDeclared } from "../../manifests/declared.ts";
import { settingsOfSchema } from "../../manifests/settings.ts";
import { settingSchema, wholeNumbers } from "./setting-schema.ts";

const functions = await loadDeclared(join(import.meta.dirname, "../../.."));
const schemas = functions.flatMap(({ settings, common, systems = {} }) => [
  settings,
  ...(common ? [common] : []),
  ...Object.values(systems).map((one) => one.settings),
]);
const declared = schemas.flatMap((schema: ZodObject) =>
  settingsOfSchema("it", schema).flatMap((setting) => {
    const [, field] = Object.entries(schema.shape).find(([name]) => variableOf(name) === setting.variable) ?? [];
    return field ? [{ setting, field: field as ZodObject }] : [];
  }),
);

interface Schema {
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly maxLength?: number;
}

/** Whether helm takes a string. */
function takes(schema: Schema, text: string): boolean {
  const isShort = text.length <= (schema.maxLength ?? Number.POSITIVE_INFINITY);
  return isShort && new RegExp(schema.pattern ?? "").test(text) && (schema.enum?.includes(text) ?? true);
}

test("helm takes what a function takes, and refuses what is no value of a setting at all", () => {
  const some = ["", "1", "100", "101", "0", "280", "1000", "100000", "none", "7d", "1Ti", "true", "10%"];
  const more = ["a=b", "kube-system, ci,", "https://salt:4507", "0 22 * * 1-5", "x".repeat(300), "annotation"];
  expect(declared.length).toBeGreaterThan(50);
  for (const { setting, field } of declared) {
    const schema = settingSchema(setting) as Schema;
    const isTaken = (text: string) => text === "" || field.safeParse(text).success;
    const wrong = [...some, ...more].filter((text) => isTaken(text) && !takes(schema, text));
    // Only the function knows all time zones, and all spellings of yes and no.
    const isOpen = /_TIME_ZONE$|^SALT_ALLOW_HTTP$/.test(setting.variable);
    const missed = ["banana", "%?"].filter((text) => !isTaken(text) && takes(schema, text) && !isOpen);
    expect([setting.variable, wrong, missed]).toEqual([setting.variable, [], []]);
    // Go's regular expressions, which helm uses, have none of these.
    expect(schema.pattern ?? "").not.toMatch(/\(\?[=!<]/);
  }
});

test.each([
  [1, 100],
  [0, 9],
  [120, 1999],
  [3, 3],
  [1, 280],
  [99, 1001],
])("whole numbers from %i to %i have a pattern that takes these and no others", (from, to) => {
  const pattern = new RegExp(`^(${wholeNumbers(from, to)})$`);
  const found = Array.from({ length: 3000 }, (_, number) => number).filter((number) => pattern.test(String(number)));
  expect(found).toEqual(Array.from({ length: to - from + 1 }, (_, index) => from + index));
});
