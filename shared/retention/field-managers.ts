import type { RetentionPolicy, StatefulSet } from "./stateful-set.ts";

/** The field manager that the policy is applied by: fields that it holds are ours, whatever other functions write. */
export const fieldManager = "holdfast-pvc-retention";

/** An entry of `metadata.managedFields`; `fieldsV1` has a key `f:<name>` for each field. */
interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
}

const leaves = ["whenDeleted", "whenScaled"] as const satisfies readonly (keyof RetentionPolicy)[];

/**
 * Who else holds a `Delete` of the field. The server fills `Retain` in on every set, and then whoever created the set holds it
 * without having asked for it; a `Delete` is somebody's choice. A value that no entry speaks of counts as chosen, too.
 */
export function holdersOfDelete(set: StatefulSet): readonly string[] {
  const policy = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  const chosen = leaves.filter((leaf) => policy[leaf] === "Delete");
  const holders = chosen.flatMap((leaf) => {
    const entries = entriesOf(set).filter((entry) => holds(entry, leaf));
    if (entries.length === 0) return ["somebody whom the object does not name"];
    return entries.filter((entry) => !isOurs(entry)).map(({ manager }) => manager || "somebody without a name");
  });
  return [...new Set(holders)];
}

/** Whether any part of the field is ours. */
export function holdsField(set: StatefulSet): boolean {
  return entriesOf(set).some((entry) => isOurs(entry) && leaves.some((leaf) => holds(entry, leaf)));
}

/** Whether somebody else is known to hold what the field says of a set's deletion, and nothing of the field is ours. */
export function isHeldByOthers(set: StatefulSet): boolean {
  return !holdsField(set) && entriesOf(set).some((entry) => holds(entry, "whenDeleted"));
}

function entriesOf({ metadata }: StatefulSet): readonly ManagedFields[] {
  return Array.isArray(metadata.managedFields) ? metadata.managedFields : [];
}

const isOurs = ({ manager, operation }: ManagedFields) => manager === fieldManager && operation === "Apply";

function holds({ fieldsV1 }: ManagedFields, leaf: string): boolean {
  const spec = fieldsV1?.["f:spec"] as Record<string, unknown> | undefined;
  const field = spec?.["f:persistentVolumeClaimRetentionPolicy"] as Record<string, unknown> | undefined;
  return field?.[`f:${leaf}`] !== undefined;
}
