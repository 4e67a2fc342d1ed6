import { type RetentionPolicy, retentionOf, type StatefulSet } from "./stateful-set.ts";

/** The field manager that the policy is applied by: fields that it holds are ours, whatever other functions write. */
export const fieldManager = "holdfast-pvc-retention";

type Occasion = keyof RetentionPolicy;

/** An entry of `metadata.managedFields`; `fieldsV1` has a key `f:<name>` for each field. */
interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
}

/**
 * Who else has chosen what the field says on an occasion, by their names. Any `Delete` is somebody's choice, also one
 * that no entry speaks of. A `Retain` is one where it is held by server-side apply: the server fills `Retain` in on
 * every set, and seen on 1.36 whoever creates a set by POST then holds it as an Update without having asked for it.
 */
export function choosersOf(set: StatefulSet, occasion: Occasion): readonly string[] {
  const holders = entriesOf(set).filter((entry) => holds(entry, occasion));
  const deletes = retentionOf(set)[occasion] === "Delete";
  if (deletes && holders.length === 0) return ["somebody whom the object does not name"];
  const others = holders.filter((entry) => !isOurs(entry) && (deletes || entry.operation === "Apply"));
  return [...new Set(others.map(({ manager }) => manager || "somebody without a name"))];
}

/** Whether the field is ours on an occasion, be it together with others. */
export function holdsField(set: StatefulSet, occasion: Occasion): boolean {
  return entriesOf(set).some((entry) => isOurs(entry) && holds(entry, occasion));
}

function entriesOf({ metadata }: StatefulSet): readonly ManagedFields[] {
  return Array.isArray(metadata.managedFields) ? metadata.managedFields : [];
}

const isOurs = ({ manager, operation }: ManagedFields) => manager === fieldManager && operation === "Apply";

function holds({ fieldsV1 }: ManagedFields, occasion: Occasion): boolean {
  const spec = fieldsV1?.["f:spec"] as Record<string, unknown> | undefined;
  const field = spec?.["f:persistentVolumeClaimRetentionPolicy"] as Record<string, unknown> | undefined;
  return field?.[`f:${occasion}`] !== undefined;
}
