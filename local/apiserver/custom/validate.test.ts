import { describe, expect, test } from "vitest";
import type { Fields } from "../../../shared/kubernetes/fields.ts";
import type { Schema } from "../schema/schema.ts";
import { validateCustom } from "./validate.ts";

const string: Schema = { type: "string" };
const object = (properties: Record<string, Schema>, more: Schema = {}): Schema => ({
  type: "object",
  properties,
  ...more,
});
const schema = object({
  spec: object(
    {
      size: { type: "integer", minimum: 1, maximum: 9 },
      mode: { ...string, enum: ["a", "b"] },
      name: { ...string, pattern: "^[a-z]+$", minLength: 2, maxLength: 5 },
      when: { ...string, format: "date-time" },
      port: { "x-kubernetes-int-or-string": true },
      opt: { ...string, nullable: true },
      labels: { type: "object", additionalProperties: string, maxProperties: 2, minProperties: 1 },
      tags: { type: "array", items: string, maxItems: 3, "x-kubernetes-list-type": "set" },
      parts: {
        type: "array",
        items: object({ name: string }, { required: ["name"] }),
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
      },
      pod: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
      num: { type: "number", minimum: 0, multipleOf: 0.5 },
      one: object({ a: string, b: string }, { oneOf: [{ required: ["a"] }, { required: ["b"] }] }),
    },
    { required: ["size"] },
  ),
});
const causes = (spec: unknown, live?: unknown) =>
  validateCustom(schema, { spec }, live === undefined ? undefined : { spec: live }).map(
    ({ reason, message, field }) => [reason.replace("FieldValue", ""), field, message],
  );

describe("accepted", () => {
  for (const more of [
    {},
    { port: "a" },
    { port: 1 },
    { opt: null },
    { when: "2026-01-01T00:00:00Z" },
    { num: 1.5 },
    { one: { a: "1" } },
  ]) {
    test(JSON.stringify(more), () => expect(causes({ size: 1, ...more })).toEqual([]));
  }
});

describe("refused", () => {
  const cases: [Fields, [reason: string, field: string, message: string]][] = [
    [{}, ["Required", "spec.size", "Required value"]],
    [{ size: "x" }, ["TypeInvalid", "spec.size", 'Invalid value: "x": must be integer']],
    [{ size: 0 }, ["Invalid", "spec.size", "Invalid value: 0: must be >= 1"]],
    [
      { size: 1, mode: "c" },
      ["NotSupported", "spec.mode", 'Invalid value: "c": must be equal to one of the allowed values: a, b'],
    ],
    [
      { size: 1, name: "abcdef" },
      ["TooLong", "spec.name", 'Invalid value: "abcdef": must NOT have more than 5 characters'],
    ],
    [{ size: 1, name: "AB" }, ["Invalid", "spec.name", 'Invalid value: "AB": must match pattern "^[a-z]+$"']],
    [{ size: 1, when: "soon" }, ["TypeInvalid", "spec.when", 'Invalid value: "soon": must match format "date-time"']],
    [
      { size: 1, tags: ["a", "b", "c", "d"] },
      ["Invalid", "spec.tags", 'Invalid value: ["a","b","c","d"]: must NOT have more than 3 items'],
    ],
    [{ size: 1, tags: ["a", "a"] }, ["Duplicate", "spec.tags[1]", 'Duplicate value: "a"']],
    [
      { size: 1, parts: [{ name: "a" }, { name: "a" }] },
      ["Duplicate", "spec.parts[1]", 'Duplicate value: {"name":"a"}'],
    ],
    [{ size: 1, parts: [{}] }, ["Required", "spec.parts[0].name", "Required value"]],
    [{ size: 1, pod: { kind: "Pod" } }, ["Required", "spec.pod.apiVersion", "Required value"]],
    [{ size: 1, num: -1 }, ["Invalid", "spec.num", "Invalid value: -1: must be >= 0"]],
    [{ size: 1, one: {} }, ["Invalid", "spec.one", "Invalid value: {}: must match exactly one schema in oneOf"]],
  ];
  for (const [spec, expected] of cases) test(JSON.stringify(spec), () => expect(causes(spec)).toEqual([expected]));
});

test("an update may leave alone what was wrong before", () => {
  expect(causes({ size: 10, mode: "b" }, { size: 10, mode: "a" })).toEqual([]);
  expect(causes({ size: 11 }, { size: 10 })).toHaveLength(1);
});

describe("CEL rules", () => {
  const rules = (...list: Fields[]): Schema =>
    object({
      spec: object({ size: { type: "integer", "x-kubernetes-validations": list }, mode: { ...string, enum: ["a"] } }),
    });
  const judged = (schema: Schema, spec: Fields, live?: Fields) =>
    validateCustom(schema, { spec }, live && { spec: live }).map(({ field, message }) => `${field}: ${message}`);

  test("a rule that is broken gives its message", () => {
    expect(judged(rules({ rule: "self < 5", message: "too big" }), { size: 7 })).toEqual([
      "spec.size: Invalid value: 7: too big",
    ]);
    expect(judged(rules({ rule: "self < 5" }), { size: 7 })).toEqual([
      "spec.size: Invalid value: 7: failed rule: self < 5",
    ]);
    expect(judged(rules({ rule: "self < 5" }), { size: 4 })).toEqual([]);
  });
  test("one about oldSelf is about updates", () => {
    const schema = rules({ rule: "self >= oldSelf", message: "may not shrink" });
    expect(judged(schema, { size: 1 })).toEqual([]);
    expect(judged(schema, { size: 1 }, { size: 2 })).toEqual(["spec.size: Invalid value: 1: may not shrink"]);
  });
  test("one that cannot be evaluated is not passed over", () => {
    expect(judged(rules({ rule: "self.isSorted()" }), { size: 1 })[0]).toMatch(
      /could not be evaluated: found no matching overload/,
    );
  });
  test("are not evaluated where something is missing or of another type", () => {
    expect(judged(rules({ rule: "self < 5" }), { size: 7, mode: "x" })).toEqual([
      'spec.mode: Invalid value: "x": must be equal to one of the allowed values: a',
    ]);
  });
});
