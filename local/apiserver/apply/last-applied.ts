import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import type { Schema } from "../schema/schema.ts";
import { compare } from "./compare.ts";
import { difference, type FieldSet, union } from "./field-set.ts";
import { fieldsOf } from "./owned.ts";

const annotation = "kubectl.kubernetes.io/last-applied-configuration";

/** The manager that `kubectl apply --server-side` goes by unless told otherwise. */
export const kubectl = "kubectl";

/**
 * The fields that `kubectl apply` without `--server-side` set and nobody has changed since: the API server lets
 * kubectl's server-side apply have them without force, so that users can go over from one to the other.
 */
export function appliedBefore(live: Fields, schema: Schema): FieldSet {
  const text = annotationsOf(live)[annotation];
  if (typeof text !== "string") return new Set();
  const last = { value: read(text), schema };
  const { added, modified, removed } = compare(last, { value: live, schema });
  return difference(fieldsOf(last), union(added, modified, removed));
}

/** The object with the annotation of client-side apply brought up to date, where `live` has one. */
export function withLastApplied(object: Fields, live: Fields, applied: Fields): Fields {
  if (annotationsOf(live)[annotation] === undefined || !isFields(object.metadata)) return object;
  const annotations = { ...annotationsOf(object), [annotation]: `${sortedJson(withoutAnnotation(applied))}\n` };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function annotationsOf({ metadata }: Fields): Fields {
  return isFields(metadata) && isFields(metadata.annotations) ? metadata.annotations : {};
}

function withoutAnnotation(applied: Fields): Fields {
  if (!isFields(applied.metadata)) return applied;
  const { annotations: _, ...metadata } = applied.metadata;
  const { [annotation]: __, ...annotations } = annotationsOf(applied);
  const kept = Object.keys(annotations).length > 0 ? { annotations } : {};
  return { ...applied, metadata: { ...metadata, ...kept } };
}

const sortedJson = (value: unknown) =>
  JSON.stringify(value, (_, member: unknown) =>
    isFields(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  );

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
