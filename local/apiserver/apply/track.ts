import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import type { Resource } from "../resource.ts";
import { resolve, type TypedKind, typeOf } from "../schema/type.ts";
import { timestampAt } from "../state.ts";
import { compare } from "./compare.ts";
import { difference, union } from "./field-set.ts";
import { isSame, type Manager, readManagers, withManagers } from "./managers.ts";
import { tracked, withoutServerFields, writtenPart } from "./server-fields.ts";

/** One write that is no server-side apply. */
export interface Write {
  readonly resource: TypedKind & Pick<Resource, "subresources">;
  /** The stored object; absent on create. */
  readonly live?: Fields | undefined;
  /** What the writer wants, after defaulting and before admission: what admission adds has no manager. */
  readonly object: Fields;
  /** See {@link managerName}. */
  readonly manager: string;
  readonly subresource?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Returns the object with `metadata.managedFields` brought up to date: what the write changed belongs to its manager
 * from now on, and to no other. A write that changes nothing leaves the account as it was. Entries that the writer
 * sends along are taken over, `[]` and `[{}]` clear them, and an object stored without any stays so until someone
 * applies it.
 */
export function trackFields({ resource, live, object, manager, subresource, now }: Write): Fields {
  const sent = subresource === undefined ? managedFieldsOf(object) : undefined;
  const before = readManagers(sent ?? managedFieldsOf(live));
  if (live && before.length === 0) return withManagers(object, []);

  const state = (value: Fields) => ({
    value: withoutServerFields(writtenPart(resource, value, subresource)),
    schema: resolve(typeOf(resource)),
  });
  const change = compare(state(live ?? {}), state(object));
  const changed = tracked(union(change.added, change.modified));
  const lost = union(changed, change.removed);
  const writer: Manager = { name: manager, operation: "Update", apiVersion: resource.apiVersion, subresource };
  const previous = before.find((owner) => isSame(owner, writer));
  const remaining = before.map((owner) => ({ ...owner, fields: difference(owner.fields, lost) }));
  if (changed.size === 0) return withManagers(object, remaining);
  const others = remaining.filter((owner) => !isSame(owner, writer));
  const fields = union(difference(previous?.fields ?? new Set(), lost), changed);
  return withManagers(object, [...others, { ...writer, fields, time: timestampAt(now) }]);
}

const managedFieldsOf = (object: Fields | undefined) =>
  isFields(object?.metadata) ? object.metadata.managedFields : undefined;

/** The manager of a write: `fieldManager` of the request, else the user agent up to its first slash. */
export function managerName(fieldManager: string | undefined, userAgent: string | undefined): string {
  if (fieldManager) return fieldManager;
  const name = (userAgent ?? "").split("/")[0] ?? "";
  return name.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, "").slice(0, 128) || "unknown";
}
