import { expect, test } from "vitest";
import * as z from "zod";
import { readSettings, SettingsError, variableOf } from "./settings.ts";

const schema = z.object({
  mode: z.enum(["strict", "document"]).default("strict"),
  inTree: z.enum(["present", "absent"]).default("present"),
  maxPods: z.coerce.number().int().positive().max(100).default(5),
});

test("a setting is named by its variable in upper snake case", () => {
  expect(variableOf("excludedNamespaces")).toBe("EXCLUDED_NAMESPACES");
  expect(variableOf("mode")).toBe("MODE");
});

test("absent and empty variables leave the defaults", () =>
  expect(readSettings(schema, { MODE: "", PORT: "8080" })).toEqual({ mode: "strict", inTree: "present", maxPods: 5 }));

test("set variables are read and coerced", () => {
  expect(readSettings(schema, { MODE: "document", IN_TREE: "absent", MAX_PODS: "7" })).toEqual({
    mode: "document",
    inTree: "absent",
    maxPods: 7,
  });
});

test("an error names every variable at fault, its value and what was expected", () => {
  const read = () => readSettings(schema, { MODE: "lax", MAX_PODS: "many" });
  expect(read).toThrow(SettingsError);
  expect(read).toThrow('MODE is "lax": expected one of strict, document. MAX_PODS is "many": expected a number.');
});

test.each([
  ["1.5", "a whole number"],
  ["0", "more than 0"],
  ["101", "at most 100"],
])("%s where a number from 1 to 100 was expected: expected %s", (value, expected) =>
  expect(() => readSettings(schema, { MAX_PODS: value })).toThrow(`MAX_PODS is "${value}": expected ${expected}.`),
);
