import { isDeepStrictEqual } from "node:util";
import { type Fields, fieldOf, isFields, setField } from "../fields.ts";
import {
  deleteFrom,
  elementOrder,
  hasPatch,
  isDirective,
  listIn,
  retainKeys,
  StrategicMergeError,
  unknownDirective,
  withoutNulls,
} from "./directive.ts";
import { mergeLists } from "./merge-lists.ts";

/** What a strategic merge patch needs to know of the type of a value. */
export interface MergeType {
  /** `x-kubernetes-patch-strategy`: `merge`, `replace`, `retainKeys`, joined by commas. */
  readonly strategy?: string | undefined;
  /** `x-kubernetes-patch-merge-key` of a list of objects; a list of scalars has none. */
  readonly key?: string | undefined;
  /** The type of a list's elements. */
  readonly items?: MergeType | undefined;
  /** The type of a member; `undefined` where the type has no such member. */
  member(name: string): MergeType | undefined;
}

/** A type of which nothing is known: its lists are replaced. */
const untyped: MergeType = { member: () => undefined };

/**
 * Merges a strategic merge patch into an object in place, as the API server's library does, and returns the object that
 * takes its place. Lists merge by the keys that the type declares; `$patch`, `$retainKeys`,
 * `$deleteFromPrimitiveList/<field>` and `$setElementOrder/<field>` are obeyed.
 *
 * @throws StrategicMergeError of what cannot be applied, or of a directive that is none of these.
 */
export function strategicMerge(target: Fields, patch: Fields, type: MergeType): Fields {
  const { $patch: directive, ...rest } = patch;
  if (directive === "delete") return {};
  if (directive === "replace") return rest;
  if (directive !== undefined) throw unknownDirective(directive, patch);

  const order = new Map<string, unknown[]>();
  for (const [key, value] of Object.entries(rest)) {
    if (key === retainKeys) retain(target, rest, value);
    else if (key.startsWith(elementOrder)) order.set(key.slice(elementOrder.length), listIn(key, value));
    else if (key.startsWith(deleteFrom)) removeValues(target, key.slice(deleteFrom.length), listIn(key, value));
    else if (key.startsWith("$") && !type.member(key))
      throw new StrategicMergeError(`the directive ${key} of strategic merge patches is not supported`, "refused");
  }
  for (const [key, value] of Object.entries(rest)) {
    if (isDirective(key) || (hasPatch(value) && !Object.hasOwn(target, key))) continue;
    if (value === null) delete target[key];
    else setField(target, key, mergeMember(fieldOf(target, key), value, type.member(key) ?? untyped, order.get(key)));
  }
  for (const [key, wanted] of order) {
    const list = fieldOf(target, key);
    if (!Object.hasOwn(rest, key) && Array.isArray(list)) {
      setField(target, key, mergeTypedLists(list, [], type.member(key) ?? untyped, wanted));
    }
  }
  return target;
}

function mergeMember(old: unknown, value: unknown, type: MergeType, order: unknown[] | undefined): unknown {
  const { strategy = "" } = type;
  if (isFields(old) && isFields(value)) return strategy === "replace" ? value : strategicMerge(old, value, type);
  if (Array.isArray(old) && Array.isArray(value) && strategy.split(",").includes("merge")) {
    return mergeTypedLists(old, value, type, order);
  }
  return withoutNulls(value);
}

function mergeTypedLists(
  old: unknown[],
  patch: unknown[],
  { key, items = untyped }: MergeType,
  order: unknown[] | undefined,
): unknown[] {
  return mergeLists(old, patch, { key, order, mergeItem: (item, change) => strategicMerge(item, change, items) });
}

/** `$retainKeys`: members that the patch does not name go, as when a volume changes its source. */
function retain(target: Fields, patch: Fields, keys: unknown): void {
  const kept = new Set(Array.isArray(keys) ? keys : []);
  if (Object.keys(patch).some((key) => !isDirective(key) && !kept.has(key)))
    throw new StrategicMergeError("invalid patch format of retainKeys", "refused");
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
