import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import { checkApplied } from "../apply/check.ts";
import { isGranular, partsOf } from "../apply/element.ts";
import { mergeApplied } from "../apply/merge-applied.ts";
import type { Resource } from "../resource.ts";
import type { Schema } from "../schema/schema.ts";
import { resolve, typeOf } from "../schema/type.ts";
import { StatusError } from "../status-error.ts";
import { ExpressionError } from "./expression.ts";

/**
 * Merges what an `ApplyConfiguration` mutation came to into an object, as server-side apply merges: sets grow, list
 * maps merge by their keys. What an object is called cannot be changed, and lists, maps and structs that are owned
 * whole cannot be mutated; that and what does not fit the type throws {@link ExpressionError}.
 */
export function applyConfiguration(resource: Resource, object: Fields, configuration: unknown): Fields {
  if (!isFields(configuration)) throw new ExpressionError("must evaluate to Object");
  const schema = resolve(typeOf(resource));
  const { apiVersion: _, kind: __, ...applied } = configuration;
  if (isFields(applied.metadata)) {
    const { name: _, namespace: __, ...metadata } = applied.metadata;
    applied.metadata = metadata;
  }
  try {
    checkApplied(resource, applied, schema);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const why = error.message.replace(/^[^:]*\([^)]*\): /, "");
    throw new ExpressionError(`error applying patch: failed to convert patch object to typed object: ${why}`);
  }
  const atomic = firstAtomic(applied, schema, "");
  if (atomic !== undefined) {
    const why = `may not mutate atomic arrays, maps or structs: ${atomic}`;
    throw new ExpressionError(`error applying patch: invalid ApplyConfiguration: ${why}`);
  }
  return mergeApplied(object, applied, schema) as Fields;
}

function firstAtomic(value: unknown, schema: Schema, path: string): string | undefined {
  if (!isFields(value) && !Array.isArray(value)) return undefined;
  if (!isGranular(value, schema)) return path;
  for (const [index, [element, part]] of [...partsOf(value, schema)].entries()) {
    const deeper = Array.isArray(value) ? `${path}[${index}]` : `${path}.${element.slice(2)}`;
    const found = firstAtomic(part.value, part.schema, deeper);
    if (found !== undefined) return found;
  }
  return undefined;
}
