import { isDeepStrictEqual } from "node:util";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import type { Schema } from "../schema/schema.ts";
import { memberType, resolve, typeOf } from "../schema/type.ts";
import { StatusError } from "../status-error.ts";
import { copyOf } from "./copy.ts";
import {
  deleteFrom,
  elementOrder,
  hasPatch,
  isDirective,
  listIn,
  retainKeys,
  unknownDirective,
  unsupportedDirective,
  withoutNulls,
} from "./strategic-directive.ts";
import { mergeLists } from "./strategic-list.ts";
import { type Fields, fieldOf, goTypeOf, isFields, setField } from "./value.ts";

/**
 * Applies a strategic merge patch to an object of a built-in kind and returns the patched object; the target is not
 * touched. Lists merge by the keys that the type declares; `$patch`, `$retainKeys`, `$deleteFromPrimitiveList/<field>`
 * and `$setElementOrder/<field>` are obeyed. A directive that is none of these is refused with 400, where the API
 * server would drop it as an unknown field; what its library cannot apply is a 500 without a reason, as there.
 *
 * Custom resources have no strategic merge patch: the caller answers 415 before it comes to this.
 */
export function strategicMerge(kind: Kind, live: Fields, patch: unknown): Fields {
  if (patch === null) return live;
  if (!isFields(patch)) {
    const message = `json: cannot unmarshal ${goTypeOf(patch)} into Go value of type map[string]interface {}`;
    throw new StatusError(400, "BadRequest", message);
  }
  const schema = typeOf(kind);
  if (!schema) {
    const message =
      `the type of ${kind.kind} in ${kind.apiVersion} is not known here, so a strategic merge patch of it is not ` +
      "supported";
    throw new StatusError(415, "UnsupportedMediaType", message);
  }
  return mergeFields(copyOf(live), copyOf(patch), schema);
}

/** Merges a patch into an object in place and returns the object that takes its place. */
function mergeFields(target: Fields, patch: Fields, schema: Schema): Fields {
  const type = resolve(schema);
  const { $patch: directive, ...rest } = patch;
  if (directive === "delete") return {};
  if (directive === "replace") return rest;
  if (directive !== undefined) throw unknownDirective(directive, patch);

  const order = new Map<string, unknown[]>();
  for (const [key, value] of Object.entries(rest)) {
    if (key === retainKeys) retain(target, rest, value);
    else if (key.startsWith(elementOrder)) order.set(key.slice(elementOrder.length), listIn(key, value));
    else if (key.startsWith(deleteFrom)) removeValues(target, key.slice(deleteFrom.length), listIn(key, value));
    else if (key.startsWith("$") && !memberType(type, key)) throw unsupportedDirective(key);
  }
  for (const [key, value] of Object.entries(rest)) {
    if (isDirective(key) || (hasPatch(value) && !Object.hasOwn(target, key))) continue;
    if (value === null) delete target[key];
    else setField(target, key, mergeMember(fieldOf(target, key), value, memberType(type, key) ?? {}, order.get(key)));
  }
  for (const [key, wanted] of order) {
    const list = fieldOf(target, key);
    if (!Object.hasOwn(rest, key) && Array.isArray(list)) {
      setField(target, key, mergeTypedLists(list, [], memberType(type, key) ?? {}, wanted));
    }
  }
  return target;
}

function mergeMember(old: unknown, value: unknown, schema: Schema, order: unknown[] | undefined): unknown {
  const strategy = resolve(schema)["x-kubernetes-patch-strategy"] ?? "";
  if (isFields(old) && isFields(value)) return strategy === "replace" ? value : mergeFields(old, value, schema);
  if (Array.isArray(old) && Array.isArray(value) && strategy.split(",").includes("merge")) {
    return mergeTypedLists(old, value, schema, order);
  }
  return withoutNulls(value);
}

function mergeTypedLists(old: unknown[], patch: unknown[], schema: Schema, order: unknown[] | undefined): unknown[] {
  const { items = {}, "x-kubernetes-patch-merge-key": key } = resolve(schema);
  return mergeLists(old, patch, { key, order, mergeItem: (item, change) => mergeFields(item, change, items) });
}

/** `$retainKeys`: members that the patch does not name go, as when a volume changes its source. */
function retain(target: Fields, patch: Fields, keys: unknown): void {
  const kept = new Set(Array.isArray(keys) ? keys : []);
  if (Object.keys(patch).some((key) => !isDirective(key) && !kept.has(key)))
    throw new StatusError(400, "BadRequest", "invalid patch format of retainKeys");
  for (const key of Object.keys(target)) if (!kept.has(key)) delete target[key];
}

function removeValues(target: Fields, key: string, values: unknown[]): void {
  const list = fieldOf(target, key);
  if (Array.isArray(list)) {
    setField(
      target,
      key,
      list.filter((item) => !values.some((value) => isDeepStrictEqual(value, item))),
    );
  }
}
