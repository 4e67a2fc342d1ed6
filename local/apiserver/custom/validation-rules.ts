import { isDeepStrictEqual } from "node:util";
import type { Fields } from "../../../shared/kubernetes/fields.ts";
import { objectsIn } from "../kinds/fields.ts";
import { compileRule, ExpressionError } from "../policy/expression.ts";
import { remember } from "../remember.ts";
import type { Schema } from "../schema/schema.ts";
import { type Cause, invalidValue } from "../validation/status-cause.ts";
import { walkTyped } from "./walk.ts";

const keyword = "x-kubernetes-validations";

/** Whether any part of a schema has CEL rules. */
export const hasRules = remember((schema: Schema) => JSON.stringify(schema).includes(`"${keyword}"`));

/**
 * The rules of `x-kubernetes-validations` that an object breaks. Rules about `oldSelf` are about updates, and compare
 * with what stood at the same path; parts that an update leaves alone are not judged again. A rule that cannot be
 * evaluated counts as broken and says why.
 */
export function rulesBroken(schema: Schema, object: Fields, live?: Fields): Cause[] {
  const before = new Map<string, unknown>();
  if (live) walkTyped(schema, live, (_, value, path) => before.set(path, value));
  const causes: Cause[] = [];
  walkTyped(schema, object, (type, self, path) => {
    const oldSelf = before.get(path);
    if (path !== "" && oldSelf !== undefined && isDeepStrictEqual(self, oldSelf)) return;
    for (const rule of objectsIn(type as Fields, keyword)) {
      const broken = judge(rule, self, oldSelf, path);
      if (broken) causes.push(broken);
    }
  });
  return causes;
}

function judge(rule: Fields, self: unknown, oldSelf: unknown, path: string): Cause | undefined {
  const text = String(rule.rule);
  if (/\boldSelf\b/.test(text) && oldSelf === undefined) return undefined;
  const variables = { self, ...(oldSelf === undefined ? {} : { oldSelf }) };
  const cause = (why: string): Cause => {
    const value = typeof self === "object" && self !== null ? (Array.isArray(self) ? "array" : "object") : self;
    const reason = typeof rule.reason === "string" ? rule.reason : "FieldValueInvalid";
    return { ...invalidValue(`${path}${rule.fieldPath ?? ""}`.replace(/^\./, ""), value, why), reason };
  };
  try {
    if (compileRule(text)(variables) === true) return undefined;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return cause(`rule ${JSON.stringify(text)} could not be evaluated: ${error.message}`);
  }
  return cause(String(rule.message ?? `failed rule: ${text}`));
}
