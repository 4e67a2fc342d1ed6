import { isDeepStrictEqual } from "node:util";
import { StatusError } from "../status-error.ts";
import { copyOf } from "./copy.ts";
import { type Fields, fieldOf, goTypeOf, isFields, setField } from "./value.ts";

/**
 * Applies a JSON Patch the way the API server does and returns the patched object; the target is not touched.
 *
 * The server's library departs from RFC 6902, and rules can tell: `replace` creates a missing member, `test` against
 * null passes where the member is missing (its parent must exist), `value` may be left out and is null then, `copy` of
 * a missing member yields null, array indices may be negative and count from the end, and what stands before the first
 * slash of a path is ignored. npm's JSON Patch libraries follow the RFC in all of these and refuse members called
 * `constructor`, which are legal labels; so this is written out.
 *
 * A patch that is no array of operations is refused with 400, one that cannot be applied, a failed `test` included,
 * with 422: reason `Invalid`, the server's one message for all of them, and empty details without causes.
 */
export function jsonPatch(target: Fields, operations: unknown): Fields {
  if (operations === null) return target;
  if (!Array.isArray(operations)) throw undecodable(operations, "Go value of type []handlers.jsonPatchOp");
  if (operations.length > maximumOperations) {
    const message = `The allowed maximum operations in a JSON patch is ${maximumOperations}, got ${operations.length}`;
    throw new StatusError(413, "RequestEntityTooLarge", message);
  }
  const document = { root: copyOf(target) as unknown };
  for (const operation of operations) {
    apply(document, decode(operation));
  }
  if (!isFields(document.root)) throw refused();
  return document.root;
}

const maximumOperations = 10_000;

function decode(operation: unknown): Fields {
  if (operation === null) return {};
  if (!isFields(operation)) throw undecodable(operation, "Go value of type handlers.jsonPatchOp");
  for (const member of ["op", "path", "from"]) {
    const value = operation[member] ?? "";
    if (typeof value !== "string") throw undecodable(value, `Go struct field jsonPatchOp.${member} of type string`);
  }
  return operation;
}

interface Document {
  root: unknown;
}

function apply(document: Document, { op, path, from, value = null }: Fields): void {
  if (typeof path !== "string") throw refused();
  if (op === "add") {
    add(locate(document, path), copyOf(value));
  } else if (op === "remove") {
    remove(locate(document, path));
  } else if (op === "replace") {
    if (path === "") document.root = copyOf(value);
    else replace(locate(document, path), copyOf(value));
  } else if (op === "test") {
    const found = path === "" ? document.root : get(locate(document, path));
    if (!isDeepStrictEqual(found, value)) throw refused();
  } else if (op === "copy") {
    add(locate(document, path), copyOf(get(locate(document, from))));
  } else if (op === "move") {
    const source = locate(document, from);
    const moved = get(source);
    remove(source);
    add(locate(document, path), moved);
  } else {
    throw refused();
  }
}

/** A member of an object, or an element of an array, that may not exist. */
type Place = { parent: Fields | unknown[]; key: string };

function locate(document: Document, path: unknown): Place {
  if (typeof path !== "string" || !path.includes("/")) throw refused();
  const keys = path.split("/").slice(1).map(unescaped);
  const key = keys.pop() ?? "";
  let parent = document.root;
  for (const step of keys) {
    if (!isContainer(parent)) throw refused();
    parent = get({ parent, key: step });
  }
  if (!isContainer(parent)) throw refused();
  return { parent, key };
}

const isContainer = (value: unknown): value is Fields | unknown[] => isFields(value) || Array.isArray(value);

const unescaped = (key: string) => key.replaceAll("~1", "/").replaceAll("~0", "~");

/** The index a key names in an array of `length` places; decimal, leading zeros and a sign allowed, as Go reads it. */
function indexOf(key: string, length: number): number {
  if (!/^[+-]?\d+$/.test(key)) throw refused();
  const index = Number(key) < 0 ? Number(key) + length : Number(key);
  if (index < 0 || index >= length) throw refused();
  return index;
}

/** A missing member reads as null; an index out of range is refused. */
function get({ parent, key }: Place): unknown {
  if (Array.isArray(parent)) return parent[indexOf(key, parent.length)];
  return fieldOf(parent, key) ?? null;
}

function add({ parent, key }: Place, value: unknown): void {
  if (!Array.isArray(parent)) setField(parent, key, value);
  else parent.splice(key === "-" ? parent.length : indexOf(key, parent.length + 1), 0, value);
}

function replace({ parent, key }: Place, value: unknown): void {
  if (!Array.isArray(parent)) setField(parent, key, value);
  else parent[indexOf(key, parent.length)] = value;
}

function remove({ parent, key }: Place): void {
  if (Array.isArray(parent)) parent.splice(indexOf(key, parent.length), 1);
  else if (Object.hasOwn(parent, key)) delete parent[key];
  else throw refused();
}

const refused = () =>
  new StatusError(422, "Invalid", "the server rejected our request due to an error in our request", {});

const undecodable = (value: unknown, into: string) =>
  new StatusError(400, "BadRequest", `error decoding patch: json: cannot unmarshal ${goTypeOf(value)} into ${into}`);
