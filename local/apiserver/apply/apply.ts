import { type Fields, isFields, setField } from "../../../shared/kubernetes/fields.ts";
import { copyOf } from "../patch/copy.ts";
import type { Resource } from "../resource.ts";
import { resolve, type TypedKind, typeOf } from "../schema/type.ts";
import { timestampAt } from "../state.ts";
import { StatusError } from "../status-error.ts";
import { checkApplied } from "./check.ts";
import { compare } from "./compare.ts";
import { fieldsOf, isGranular, partsOf, type Typed } from "./element.ts";
import {
  byElements,
  descend,
  difference,
  type FieldSet,
  intersection,
  pathText,
  union,
  withParents,
} from "./field-set.ts";
import { isSame, type Manager, type Ownership, readManagers, withManagers } from "./managers.ts";
import { mergeApplied } from "./merge-applied.ts";
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

/**
 * Takes out of a merged object what a manager applied last time (`last`), does not apply any more, and no manager owns
 * (`owned`: the paths of all managers, the applying one's new ones included). A container goes whole when nothing in it
 * is owned, also with what was only defaulted into it.
 */
function prune(merged: Typed, last: FieldSet, owned: FieldSet): unknown {
  return walk(merged, "", withParents(last), withParents(owned));
}

function walk({ value, schema }: Typed, path: string, last: FieldSet, owned: FieldSet): unknown {
  if (!isGranular(value, schema)) return value;
  const kept: [string, unknown][] = [];
  for (const [element, part] of partsOf(value, schema)) {
    const deeper = descend(path, element);
    if (!last.has(deeper)) kept.push([element, part.value]);
    else if (owned.has(deeper)) kept.push([element, walk(part, deeper, last, owned)]);
  }
  if (Array.isArray(value)) return kept.map(([, item]) => item);
  const fields: Fields = {};
  for (const [element, member] of kept) setField(fields, element.slice(2), member);
  return fields;
}

/** Fields that an apply without force would take from another manager. */
interface Claim {
  readonly manager: Manager;
  readonly fields: FieldSet;
}

/** The 409 that lists who owns what the applied configuration wants to change. */
function conflict(claims: readonly Claim[]): StatusError {
  const fields = claims.flatMap(({ manager, fields }) =>
    [...fields].sort(byElements).map((path) => ({ holder: describe(manager), field: pathText(path) })),
  );
  const causes = fields.map(({ holder, field }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${holder}`,
    field,
  }));
  const count = `${fields.length} conflict${fields.length === 1 ? "" : "s"}`;
  return new StatusError(409, "Conflict", `Apply failed with ${count}: ${listing(fields)}`, { causes });
}

function listing(fields: { holder: string; field: string }[]): string {
  const [only] = fields;
  if (only && fields.length === 1) return `conflict with ${only.holder}: ${only.field}`;
  return [...Map.groupBy(fields, ({ holder }) => holder)]
    .map(([holder, held]) => `conflicts with ${holder}:\n${held.map(({ field }) => `- ${field}`).join("\n")}`)
    .join("\n");
}

function describe({ name, operation, apiVersion, subresource }: Manager): string {
  const part = subresource ? ` with subresource ${JSON.stringify(subresource)}` : "";
  return `${JSON.stringify(name)}${part}${operation === "Apply" ? "" : ` using ${apiVersion}`}`;
}
