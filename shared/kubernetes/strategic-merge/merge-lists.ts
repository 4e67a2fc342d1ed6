import { isDeepStrictEqual } from "node:util";
import { type Fields, fieldOf, isFields } from "../fields.ts";
import { StrategicMergeError, unknownDirective, withoutNulls } from "./directive.ts";

/** How the elements of a list find and take each other. */
export interface ListMerge {
  /** The member by which objects are matched; without it the list is a set of scalars. */
  key: string | undefined;
  /** The list of `$setElementOrder`. */
  order: unknown[] | undefined;
  mergeItem(item: Fields, change: Fields): Fields;
}

/**
 * Merges a patch's list into an object's. What the patch names (or `order`, when given) comes in that order, and what
 * it does not name keeps its place among the rest. A new element therefore comes before those that only the server
 * knows.
 */
export function mergeLists(old: unknown[], patch: unknown[], merge: ListMerge): unknown[] {
  const same = merge.key === undefined ? isDeepStrictEqual : sameBy(merge.key);
  if (merge.order) checkOrder(patch, merge.order, same);
  const merged = merge.key === undefined ? union(old, patch) : mergeByKey(old, patch, merge.key, merge.mergeItem);
  return arrange(merged.list, merge.order ?? merged.patch, old, same);
}

type Same = (a: unknown, b: unknown) => boolean;

const sameBy =
  (key: string): Same =>
  (a, b) =>
    isFields(a) && isFields(b) && isDeepStrictEqual(fieldOf(a, key), fieldOf(b, key));

interface Merged {
  list: unknown[];
  /** The elements of the patch that are no directives. */
  patch: unknown[];
}

function union(old: unknown[], patch: unknown[]): Merged {
  return { list: [...new Set([...old, ...patch])], patch };
}

function mergeByKey(old: unknown[], patch: unknown[], key: string, mergeItem: ListMerge["mergeItem"]): Merged {
  let list = [...old];
  const plain: Fields[] = [];
  for (const item of patch) {
    if (!isFields(item)) throw new StrategicMergeError("expected map[string]interface{} in a list that merges by key");
    const { $patch: directive } = item;
    if (directive === "replace") list = [];
    else if (directive === "delete") list = list.filter((other) => !sameBy(key)(other, keyed(item, key)));
    else if (directive === undefined) plain.push(keyed(item, key));
    else if (directive === "merge") throw new StrategicMergeError("merging lists cannot yet be specified in the patch");
    else throw unknownDirective(directive, item);
  }
  for (const item of plain) {
    const index = list.findIndex((other) => sameBy(key)(other, item));
    const found = list[index];
    if (isFields(found)) list[index] = mergeItem(found, item);
    else list.push(withoutNulls(item));
  }
  return { list, patch: plain };
}

function keyed(item: Fields, key: string): Fields {
  if (Object.hasOwn(item, key)) return item;
  throw new StrategicMergeError(`map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
}

/** Elements that `order` names take that order; the others go before the next named one that they preceded in `old`. */
function arrange(list: unknown[], order: unknown[], old: unknown[], same: Same): unknown[] {
  const place = (item: unknown, among: unknown[]) => among.findIndex((other) => same(other, item));
  const by = (among: unknown[]) => (a: unknown, b: unknown) => place(a, among) - place(b, among);
  const named = list.filter((item) => place(item, order) >= 0).sort(by(order));
  const others = list.filter((item) => place(item, order) < 0).sort(by(old));
  const result: unknown[] = [];
  for (const item of named) {
    const position = place(item, old);
    while (position >= 0 && others.length > 0 && place(others[0], old) < position) result.push(others.shift());
    result.push(item);
  }
  return [...result, ...others];
}

function checkOrder(patch: unknown[], order: unknown[], same: Same): void {
  const places = patch
    .filter((item) => !isFields(item) || item.$patch === undefined)
    .map((item) => order.findIndex((other) => same(other, item)));
  if (places.every((place, index) => place >= 0 && place > (places[index - 1] ?? -1))) return;
  const lists = `${JSON.stringify(patch)}\n doesn't match $setElementOrder list:\n${JSON.stringify(order)}`;
  throw new StrategicMergeError(`The order in patch list:\n${lists}\n`);
}
