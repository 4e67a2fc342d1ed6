import { type Fields, fieldOf, isFields } from "../../../shared/kubernetes/fields.ts";
import { remember } from "../remember.ts";
import { referredBy, schemaOf } from "../schema/builtin-schemas.ts";
import type { Schema } from "../schema/schema.ts";
import { type TypedKind, typeOf } from "../schema/type.ts";

/**
 * Fills in what an object of a built-in kind always has in the API server's memory: structs that Go embeds by value. A
 * manager that sets something in them does not own them for themselves. The object is not touched.
 */
export function withBlanks(kind: TypedKind, object: Fields): Fields {
  const type = kind.custom ? undefined : typeOf(kind);
  if (!type) return object;
  return fill(object, kind.kind === "Event" ? { ...timesOf(type), ...blankOf(type) } : blankOf(type));
}

/** By its schema: a struct by value has the default `{}`, and a list that is always written is required. */
const blankOf = remember((type: Schema): Fields => {
  const blank: Fields = {};
  for (const [name, member] of Object.entries(type.properties ?? {})) {
    const definition = referredBy(member);
    if (definition && isFields(member.default)) blank[name] = blankOf(schemaOf(definition));
    else if (member.type === "array" && type.required?.includes(name)) blank[name] = null;
  }
  return blank;
});

/** The times of an Event are no pointers, unlike all others: one that is not set is null. */
const timesOf = remember(
  ({ properties = {} }: Schema): Fields =>
    Object.fromEntries(Object.keys(properties).flatMap((name) => (/time(stamp)?$/i.test(name) ? [[name, null]] : []))),
);

function fill(object: Fields, blank: Fields): Fields {
  const filled = { ...object };
  for (const [name, value] of Object.entries(blank)) {
    const present = fieldOf(object, name);
    if (present === undefined) filled[name] = value;
    else if (isFields(present) && isFields(value)) filled[name] = fill(present, value);
  }
  return filled;
}
