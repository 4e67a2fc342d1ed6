import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import { fitsType } from "../schema/fits.ts";
import type { Schema } from "../schema/schema.ts";
import { memberType, resolve, type TypedKind } from "../schema/type.ts";
import { StatusError } from "../status-error.ts";
import { elementOf, isGranular } from "./element.ts";
import { descend, pathText } from "./field-set.ts";

/**
 * Refuses an applied configuration that does not fit its type: an undeclared field, a value of another type, one
 * element twice. The API server answers 500 without a reason here, with every `fieldValidation`.
 */
export function checkApplied(kind: TypedKind, applied: Fields, schema: Schema): void {
  const error = misfit(applied, schema, "");
  if (error === undefined) return;
  const { namespace = "", name = "" } = isFields(applied.metadata) ? applied.metadata : {};
  const group = kind.apiVersion.includes("/") ? kind.apiVersion : `/${kind.apiVersion}`;
  const object = `${namespace}/${name}; ${group}, Kind=${kind.kind}`;
  throw new StatusError(500, "", `failed to create typed patch object (${object}): ${error}`);
}

/** The first thing that does not fit, in words. */
function misfit(value: unknown, schema: Schema, path: string): string | undefined {
  if (value === null) return undefined;
  const { type = "" } = schema;
  // A fraction is taken here, and refused when the object is typed.
  if (!fitsType(value, type === "integer" ? "number" : type))
    return `${pathText(path)}: expected ${type}, got ${JSON.stringify(value)}`;
  if (Array.isArray(value)) return misfitItem(value, schema, path);
  return isFields(value) ? misfitMember(value, schema, path) : undefined;
}

function misfitItem(list: unknown[], schema: Schema, path: string): string | undefined {
  const items = resolve(schema.items ?? {});
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    const element = isGranular(list, schema) ? elementOf(item, schema, items) : `i:${index}`;
    if (seen.has(element)) return `${pathText(path)}: duplicate entries for key ${pathText(element)}`;
    seen.add(element);
    const error = misfit(item, items, descend(path, element));
    if (error !== undefined) return error;
  }
  return undefined;
}

function misfitMember(fields: Fields, schema: Schema, path: string): string | undefined {
  const open = schema["x-kubernetes-preserve-unknown-fields"] || !(schema.properties || schema.additionalProperties);
  for (const [name, value] of Object.entries(fields)) {
    const deeper = descend(path, `f:${name}`);
    const type = memberType(schema, name);
    if (!type && !open) return `${pathText(deeper)}: field not declared in schema`;
    const error = type && misfit(value, resolve(type), deeper);
    if (error !== undefined) return error;
  }
  return undefined;
}
