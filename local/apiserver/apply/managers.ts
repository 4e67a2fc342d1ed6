import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import { type FieldSet, fromFieldsV1, toFieldsV1 } from "./field-set.ts";

/** Who writes: a manager keeps an entry per operation and subresource. */
export interface Manager {
  readonly name: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
}

/** One manager's entry in `metadata.managedFields`. */
export interface Ownership extends Manager {
  readonly fields: FieldSet;
  /** RFC 3339; absent when the manager's only write changed nothing. */
  readonly time?: string | undefined;
}

/** Reads `metadata.managedFields`; entries that are no FieldsV1 are left out. */
export function readManagers(managedFields: unknown): Ownership[] {
  if (!Array.isArray(managedFields)) return [];
  return managedFields.filter(isFields).flatMap((entry): Ownership[] => {
    const { manager, operation, apiVersion, subresource, time, fieldsV1 } = entry;
    if (operation !== "Apply" && operation !== "Update") return [];
    return [
      {
        name: String(manager ?? ""),
        operation,
        apiVersion: String(apiVersion ?? ""),
        ...(typeof subresource === "string" && subresource ? { subresource } : {}),
        ...(typeof time === "string" ? { time } : {}),
        fields: fromFieldsV1(fieldsV1),
      },
    ];
  });
}

/**
 * The object with these managers in `metadata.managedFields`, in the API server's order. Those that own nothing are
 * left out, and without any the member is.
 */
export function withManagers(object: Fields, managers: readonly Ownership[]): Fields {
  const { managedFields: _, ...metadata } = isFields(object.metadata) ? object.metadata : {};
  const managedFields = writeManagers(managers);
  return { ...object, metadata: { ...metadata, ...(managedFields.length > 0 ? { managedFields } : {}) } };
}

function writeManagers(managers: readonly Ownership[]): Fields[] {
  const owning = managers.filter(({ fields }) => fields.size > 0).sort(byAge);
  return owning.map(({ name, operation, apiVersion, time, fields, subresource }) => ({
    manager: name,
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: "FieldsV1",
    fieldsV1: toFieldsV1(fields),
    ...(subresource === undefined ? {} : { subresource }),
  }));
}

function byAge(a: Ownership, b: Ownership): number {
  return (
    order(a.operation, b.operation) ||
    order(a.time ?? "", b.time ?? "") ||
    order(a.name, b.name) ||
    order(a.apiVersion, b.apiVersion) ||
    order(a.subresource ?? "", b.subresource ?? "")
  );
}

const order = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);

/** Whether an entry is a manager's own: an applier's is, also if it applied another version before. */
export const isSame = (a: Manager, b: Manager): boolean =>
  a.name === b.name &&
  a.operation === b.operation &&
  a.subresource === b.subresource &&
  (a.operation === "Apply" || a.apiVersion === b.apiVersion);
