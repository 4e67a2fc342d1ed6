import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import { copyOf } from "../patch/copy.ts";
import type { Resource } from "../resource.ts";
import { resolve, type TypedKind, typeOf } from "../schema/type.ts";
import { timestampAt } from "../state.ts";
import { StatusError } from "../status-error.ts";
import { checkApplied } from "./check.ts";
import { compare } from "./compare.ts";
import { type Claim, conflict } from "./conflict.ts";
import { difference, type FieldSet, intersection, union } from "./field-set.ts";
import { isSame, type Manager, type Ownership, readManagers, withManagers } from "./managers.ts";
import { mergeApplied } from "./merge-applied.ts";
import { fieldsOf } from "./owned.ts";
import { prune } from "./prune-unapplied.ts";
import { tracked, withoutServerFields, writtenPart } from "./server-fields.ts";

/** One server-side apply. */
export interface Application {
  readonly resource: TypedKind & Pick<Resource, "subresources">;
  /** The stored object; absent when the apply creates it. */
  readonly live?: Fields | undefined;
  readonly applied: Fields;
  /** `fieldManager` of the request. */
  readonly manager: string;
  /** Take over what other managers own. */
  readonly force: boolean;
  readonly subresource?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Merges an applied configuration into a live object and keeps account of who owns what in `metadata.managedFields`.
 * What the manager applied before, does not apply now and no other manager owns is removed.
 *
 * A field that another manager owns with another value is a 409 that lists all of them, unless forced. A live object
 * without any managedFields belongs, as on the API server, to the manager `before-first-apply`.
 */
export function serverSideApply(application: Application): { object: Fields } {
  const { resource, manager, subresource, now } = application;
  const root = resolve(typeOf(resource));
  const applied = writtenPart(resource, application.applied, subresource);
  if (isFields(applied.metadata) && applied.metadata.managedFields !== undefined) {
    throw new StatusError(400, "BadRequest", "metadata.managedFields must be nil");
  }
  checkApplied(resource, applied, root);

  const live = application.live ?? {};
  const applier: Manager = { name: manager, operation: "Apply", apiVersion: resource.apiVersion, subresource };
  const before = managersOf(resource, application.live, now);
  const previous = before.find((owner) => isSame(owner, applier));
  const others = before.filter((owner) => owner !== previous);
  const named = fieldsOf({ value: applied, schema: root });
  const fields = tracked(named);

  const merged = { value: mergeApplied(withoutManagers(live), applied, root), schema: root };
  const owned = union(named, ...others.map((owner) => owner.fields));
  const object = prune(merged, previous?.fields ?? new Set(), owned) as Fields;

  const change = compare(
    { value: withoutServerFields(live), schema: root },
    { value: withoutServerFields(object), schema: root },
  );
  const changed = union(change.added, change.modified);
  if (!application.force) refuseConflicts(others, changed);
  const lost = union(changed, change.removed);
  const time = lost.size > 0 ? timestampAt(now) : previous?.time;
  const remaining = others.map((owner) => ({ ...owner, fields: difference(owner.fields, lost) }));
  return { object: withManagers(copyOf(object), [...remaining, { ...applier, fields, time }]) };
}

function refuseConflicts(others: readonly Ownership[], changed: FieldSet): void {
  const claims = others
    .map((manager): Claim => ({ manager, fields: intersection(manager.fields, changed) }))
    .filter(({ fields }) => fields.size > 0);
  if (claims.length > 0) throw conflict(claims);
}

function withoutManagers(object: Fields): Fields {
  if (!isFields(object.metadata)) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function managersOf(resource: TypedKind, live: Fields | undefined, now: number): Ownership[] {
  if (!live) return [];
  const managers = readManagers(isFields(live.metadata) ? live.metadata.managedFields : undefined);
  if (managers.length > 0) return managers;
  const schema = resolve(typeOf(resource));
  const { added, modified } = compare({ value: {}, schema }, { value: withoutServerFields(live), schema });
  const fields = union(added, modified);
  const { apiVersion } = resource;
  return [{ name: "before-first-apply", operation: "Update", apiVersion, fields, time: timestampAt(now) }];
}
