import { isDeepStrictEqual } from "node:util";

type Container = Record<string, unknown> | unknown[];

/** An operation of a JSON Patch as a client has written it: which members it has, and of what types, is to be seen. */
export interface JsonPatchOperation {
  readonly op?: unknown;
  readonly path?: unknown;
  readonly from?: unknown;
  readonly value?: unknown;
}

/** An operation that cannot be applied: which one, and why, as a sentence. The document is then worth nothing. */
export class JsonPatchError extends Error {
  override readonly name = "JsonPatchError";
}

/**
 * Applies a JSON Patch (RFC 6902) as Kubernetes does, of which API server and kustomize share a library, and returns
 * the document, which is changed in place.
 *
 * The library is more lenient than the RFC, and manifests rely on it: `replace` creates a missing member, `test`
 * against null passes where the member is missing (its parent must exist), `value` may be left out and is null then,
 * `copy` of a missing member yields null, array indices may be negative and count from the end, and what stands before
 * the first slash of a path is ignored. npm's libraries follow the RFC in all of these, and refuse members called
 * `constructor`, which are legal labels; so this is written out.
 *
 * @throws JsonPatchError of the first operation that cannot be applied.
 */
export function applyJsonPatch(document: unknown, operations: readonly JsonPatchOperation[]): unknown {
  return operations.reduce((root: unknown, operation, index) => {
    try {
      return apply(root, operation);
    } catch (error) {
      if (!(error instanceof JsonPatchError)) throw error;
      const { op, path } = operation;
      const title = [op, path].filter((part) => typeof part === "string" && part !== "").join(" ");
      throw new JsonPatchError(`Its operation ${index + 1}${title && ` (${title})`} ${error.message}.`);
    }
  }, document);
}

function apply(root: unknown, { op, path, from, value = null }: JsonPatchOperation): unknown {
  if (typeof path !== "string") throw new JsonPatchError("has no path");
  switch (op) {
    case "add":
      add(locate(root, path), structuredClone(value));
      return root;
    case "remove":
      remove(locate(root, path));
      return root;
    case "replace":
      if (path === "") return structuredClone(value);
      replace(locate(root, path), structuredClone(value));
      return root;
    case "test": {
      const found = path === "" ? root : get(locate(root, path));
      if (isDeepStrictEqual(found, value)) return root;
      throw new JsonPatchError(`expects ${JSON.stringify(value)} and finds ${JSON.stringify(found)}`);
    }
    case "copy":
      add(locate(root, path), structuredClone(get(locate(root, from))));
      return root;
    case "move": {
      const source = locate(root, from);
      const moved = get(source);
      remove(source);
      add(locate(root, path), moved);
      return root;
    }
    default:
      throw new JsonPatchError("has another op than add, remove, replace, move, copy and test");
  }
}

/** A member of an object, or an element of an array, that may not exist. */
interface Place {
  readonly parent: Container;
  readonly key: string;
}

function locate(root: unknown, path: unknown): Place {
  if (typeof path !== "string") throw new JsonPatchError("has no from");
  if (!path.includes("/")) throw new JsonPatchError(`names no member: ${JSON.stringify(path)} has no slash`);
  const keys = path.split("/").slice(1).map(unescaped);
  const key = keys.pop() ?? "";
  let parent = root;
  for (const [depth, step] of keys.entries()) {
    if (!isContainer(parent)) throw nothingAt(path, depth);
    parent = get({ parent, key: step });
  }
  if (!isContainer(parent)) throw nothingAt(path, keys.length);
  return { parent, key };
}

const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;

const unescaped = (key: string) => key.replaceAll("~1", "/").replaceAll("~0", "~");

function nothingAt(path: string, depth: number): JsonPatchError {
  const parent = path
    .split("/")
    .slice(0, depth + 1)
    .join("/");
  return new JsonPatchError(`finds neither an object nor a list at ${parent || "the top"}`);
}

/** The index a key names in an array of `length` places; decimal, leading zeros and a sign allowed, as Go reads it. */
function indexOf(key: string, length: number): number {
  const index = /^[+-]?\d+$/.test(key) ? Number(key) + (Number(key) < 0 ? length : 0) : length;
  if (index >= 0 && index < length) return index;
  const range = length > 0 ? `an index from 0 to ${length - 1}` : "a list that is not empty";
  throw new JsonPatchError(`needs ${range}, and has ${JSON.stringify(key)}`);
}

/** A missing member reads as null; an index out of range is refused. */
function get({ parent, key }: Place): unknown {
  if (Array.isArray(parent)) return parent[indexOf(key, parent.length)];
  return Object.hasOwn(parent, key) ? (parent[key] ?? null) : null;
}

function add({ parent, key }: Place, value: unknown): void {
  if (!Array.isArray(parent)) setMember(parent, key, value);
  else parent.splice(key === "-" ? parent.length : indexOf(key, parent.length + 1), 0, value);
}

function replace({ parent, key }: Place, value: unknown): void {
  if (!Array.isArray(parent)) setMember(parent, key, value);
  else parent[indexOf(key, parent.length)] = value;
}

function remove({ parent, key }: Place): void {
  if (Array.isArray(parent)) parent.splice(indexOf(key, parent.length), 1);
  else if (Object.hasOwn(parent, key)) delete parent[key];
  else throw new JsonPatchError("finds nothing there to remove");
}

/** Also one called `__proto__`, which an assignment would take for the prototype. */
function setMember(parent: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(parent, key, { value, writable: true, enumerable: true, configurable: true });
}
