import { createRequire } from "node:module";
import { isDeepStrictEqual } from "node:util";
import type { ErrorObject, ValidateFunction } from "ajv";
import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import { remember } from "../remember.ts";
import type { Schema } from "../schema/schema.ts";
import { type Cause, invalidValue, requiredValue } from "../validation/status-cause.ts";
import { toJsonSchema } from "./json-schema.ts";
import { hasRules, rulesBroken } from "./validation-rules.ts";
import { walkTyped } from "./walk.ts";

// The validator is loaded when the first custom resource is written.
const require = createRequire(import.meta.url);

/**
 * What is wrong with a custom resource. In an update, what was already wrong in the
 * same place and has not changed is let through. Rules of `x-kubernetes-validations` are evaluated once nothing else is
 * wrong.
 */
export function validateCustom(schema: Schema, object: Fields, live?: Fields): Cause[] {
  const { metadata: _, ...value } = object;
  const validate = validatorOf(schema);
  validate(value);
  const found = validate.errors ?? [];
  const errors = found.filter((error) => !isInsideAlternative(error) && !(live && isUnchanged(error, value, live)));
  const causes = [...errors.map(causeOf), ...duplicates(schema, value)];
  if (!hasRules(schema)) return causes;
  const isMistyped = causes.some(({ reason }) => reason !== "FieldValueInvalid" && reason !== "FieldValueDuplicate");
  return isMistyped ? causes : [...causes, ...rulesBroken(schema, object, live)];
}

const validatorOf = remember((schema: Schema): ValidateFunction => {
  const { metadata: _, ...properties } = schema.properties ?? {};
  return compiled(JSON.stringify(toJsonSchema({ ...schema, properties })));
});

/** To compile a validator takes as long as hundreds of writes, and each server has the same few definitions. */
const compiled = remember((jsonSchema: string): ValidateFunction => {
  const { Ajv }: typeof import("ajv") = require("ajv");
  const { fullFormats }: { fullFormats: Record<string, string | RegExp> } = require("ajv-formats/dist/formats.js");
  const ajv = new Ajv({ allErrors: true, verbose: true, strict: false, formats: { ...fullFormats, duration } });
  return ajv.compile(JSON.parse(jsonSchema));
}, new Map());

/** Durations are Go's, not those of ISO 8601. */
const duration = /^[+-]?(?:\d+(?:\.\d*)?\s*(?:ns|us|µs|ms|s|m|h|d|w)\s*)+$/;

/** What is wrong with one alternative of `oneOf`, `anyOf` or `not` is said by the keyword itself. */
const isInsideAlternative = ({ schemaPath }: ErrorObject) => /\/(?:oneOf|anyOf|not)\//.test(schemaPath);

function isUnchanged({ instancePath }: ErrorObject, value: unknown, live: unknown): boolean {
  const [now, before] = [at(value, instancePath), at(live, instancePath)];
  return instancePath !== "" && before !== undefined && isDeepStrictEqual(now, before);
}

function at(value: unknown, pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((found, key) => {
      if (Array.isArray(found)) return found[Number(key)];
      return isFields(found) && Object.hasOwn(found, key) ? found[key] : undefined;
    }, value);
}

const reasons: Readonly<Record<string, string>> = {
  enum: "FieldValueNotSupported",
  format: "FieldValueTypeInvalid",
  maxLength: "FieldValueTooLong",
  type: "FieldValueTypeInvalid",
};

/** A validator's error with the reason that the API server gives it, in the validator's own words. */
function causeOf({ keyword, instancePath, params, data, message = "" }: ErrorObject): Cause {
  const field = fieldPath(instancePath);
  if (keyword === "required") return requiredValue(`${field ? `${field}.` : ""}${params.missingProperty}`);
  const allowed = keyword === "enum" ? `: ${params.allowedValues.map(String).join(", ")}` : "";
  return { ...invalidValue(field, data, message + allowed), reason: reasons[keyword] ?? "FieldValueInvalid" };
}

/** `/spec/parts/0/name` as `spec.parts[0].name`; a key of a map that is a number looks like an index. */
const fieldPath = (pointer: string) =>
  pointer
    .replaceAll(/\/(\d+)(?=\/|$)/g, "[$1]")
    .replaceAll("/", ".")
    .replace(/^\./, "")
    .replaceAll("~1", "/")
    .replaceAll("~0", "~");

/** Elements that stand twice in a set, or twice under the same keys in a list map. */
function duplicates(schema: Schema, value: unknown): Cause[] {
  const causes: Cause[] = [];
  walkTyped(schema, value, (type, list, path) => {
    const keys = type["x-kubernetes-list-map-keys"];
    const kind = type["x-kubernetes-list-type"];
    if (!Array.isArray(list) || (kind !== "set" && kind !== "map")) return;
    const seen = new Set<string>();
    for (const [index, item] of list.entries()) {
      const identity = kind === "map" && keys && isFields(item) ? pick(item, keys) : item;
      const text = JSON.stringify(identity);
      if (seen.has(text)) causes.push(duplicate(`${path}[${index}]`, text));
      seen.add(text);
    }
  });
  return causes;
}

const duplicate = (field: string, value: string): Cause => ({
  reason: "FieldValueDuplicate",
  message: `Duplicate value: ${value}`,
  field,
});

const pick = (fields: Record<string, unknown>, keys: readonly string[]) =>
  Object.fromEntries(keys.filter((key) => Object.hasOwn(fields, key)).map((key) => [key, fields[key]]));
