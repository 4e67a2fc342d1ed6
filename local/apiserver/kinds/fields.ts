import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import { copyOf } from "../patch/copy.ts";

/** The member of `parent` that is an object, made when it is missing. */
export function objectIn(parent: Fields, name: string): Fields {
  const member = parent[name];
  if (isFields(member)) return member;
  const made: Fields = {};
  parent[name] = made;
  return made;
}

/** The objects in a list of `parent`, themselves, not copies; empty when there is none. */
export function objectsIn(parent: Fields, name: string): Fields[] {
  const member = parent[name];
  return Array.isArray(member) ? member.filter(isFields) : [];
}

/** Sets what is missing, in place. */
export function setMissing(target: Fields, defaults: Fields): void {
  for (const [name, value] of Object.entries(defaults)) {
    if (target[name] === undefined) target[name] = copyOf(value);
  }
}

/** What stands under a path of objects, to be read only; empty when there is nothing. */
export function fieldsAt(parent: Fields, ...path: string[]): Fields {
  let at: unknown = parent;
  for (const name of path) at = isFields(at) ? at[name] : undefined;
  return isFields(at) ? at : {};
}

/** The `spec` of an object, to be read only. */
export const specOf = (object: Fields): Fields => fieldsAt(object, "spec");

/** The `status` of an object, to be read only. */
export const statusOf = (object: Fields): Fields => fieldsAt(object, "status");
