import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";

/**
 * One step of a path into an object, as FieldsV1 writes it: `f:<member>`, `k:{"<key>":<value>}` for an element of a
 * list map, `v:<value>` for an element of a set, `i:<index>` for any other (in messages only).
 */
export type PathElement = string;

/** A set of paths, each with its elements joined by {@link separator}. */
export type FieldSet = ReadonlySet<string>;

/** Stands between the elements of a path; no member, key or JSON value of an object contains it. */
const separator = "\u0000";

/** The path one element further down; the root is the empty string. */
export const descend = (path: string, element: PathElement): string =>
  path === "" ? element : `${path}${separator}${element}`;

/** Every path above one of the set's, and the set's own: where a walk has to go. */
export function withParents(set: FieldSet): FieldSet {
  const all = new Set<string>();
  for (const path of set) {
    for (let step = path; step !== "" && !all.has(step); step = parentOf(step)) all.add(step);
  }
  return all;
}

function parentOf(path: string): string {
  const end = path.lastIndexOf(separator);
  return end < 0 ? "" : path.slice(0, end);
}

interface Node {
  owned: boolean;
  readonly children: Map<PathElement, Node>;
}

/**
 * Writes a set as FieldsV1: nested objects in the API server's order, `.` where a path with children is itself owned.
 */
export function toFieldsV1(set: FieldSet): Fields {
  const root: Node = { owned: false, children: new Map() };
  for (const path of set) {
    let node = root;
    for (const element of path.split(separator)) {
      let child = node.children.get(element);
      if (!child) {
        child = { owned: false, children: new Map() };
        node.children.set(element, child);
      }
      node = child;
    }
    node.owned = true;
  }
  return write(root);
}

function write({ owned, children }: Node): Fields {
  const fields: Fields = owned && children.size > 0 ? { ".": {} } : {};
  const sorted = [...children].sort(([a], [b]) => compareElements(a, b));
  for (const [element, child] of sorted) fields[element] = write(child);
  return fields;
}

/** Reads FieldsV1; what cannot be understood is left out. */
export function fromFieldsV1(fields: unknown): FieldSet {
  const set = new Set<string>();
  const walk = (node: Fields, path: string) => {
    for (const [element, child] of Object.entries(node)) {
      if (element === ".") set.add(path);
      else if (isFields(child)) {
        const deeper = descend(path, element);
        if (Object.keys(child).length === 0) set.add(deeper);
        else walk(child, deeper);
      }
    }
  };
  if (isFields(fields)) walk(fields, "");
  return set;
}

/** The API server's order of paths: element by element, a parent before its children. */
export function byElements(a: string, b: string): number {
  const [left, right] = [a.split(separator), b.split(separator)];
  for (const [index, element] of left.entries()) {
    const order = compareElements(element, right[index] ?? "");
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** Members, then keys, then values, each by its characters. */
function compareElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0;
  return "fkv".indexOf(a.charAt(0)) - "fkv".indexOf(b.charAt(0)) || (a < b ? -1 : 1);
}

/** A path as messages show it: `.spec.containers[name="a"].image`, `.metadata.finalizers[="x"]`. */
export function pathText(path: string): string {
  return path
    .split(separator)
    .map((element) => {
      const rest = element.slice(2);
      if (element.startsWith("f:")) return `.${rest}`;
      if (element.startsWith("v:")) return `[=${rest}]`;
      if (element.startsWith("i:")) return `[${rest}]`;
      const keys = Object.entries(JSON.parse(rest)).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
      return `[${keys.join(",")}]`;
    })
    .join("");
}

/** What is in any of the sets. */
export const union = (...sets: FieldSet[]): FieldSet => new Set(sets.flatMap((set) => [...set]));

/** What is in both. */
export const intersection = (a: FieldSet, b: FieldSet): FieldSet => new Set([...a].filter((path) => b.has(path)));

/** What is in the first only. */
export const difference = (a: FieldSet, b: FieldSet): FieldSet => new Set([...a].filter((path) => !b.has(path)));
