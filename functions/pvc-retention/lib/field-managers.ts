import type { Bound } from "../../../shared/declared-writes.ts";
import { occasions, type RetentionPolicy, retentionOf, type StatefulSet } from "./stateful-set.ts";

/** The field manager that applies the policy. Only its fields count as Holdfast's. */
export const fieldManager = "holdfast-pvc-retention";

type Occasion = keyof RetentionPolicy;

/** An entry of `metadata.managedFields`; `fieldsV1` has a key `f:<name>` for each field. */
interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
}

/**
 * The names of other managers that have chosen this half of the field. Each `Delete` counts as a choice, also without
 * an entry. A `Retain` counts only if server-side apply holds it: the server fills `Retain` in on every set, and on
 * 1.36 the creator of a set by POST then holds it as an Update without having asked for it.
 */
export function choosersOf(set: StatefulSet, occasion: Occasion): readonly string[] {
  const holders = entriesOf(set).filter((entry) => holds(entry, occasion));
  const deletes = retentionOf(set)[occasion] === "Delete";
  if (deletes && holders.length === 0) return ["a manager that the object does not name"];
  const others = holders.filter((entry) => !isOurs(entry) && (deletes || entry.operation === "Apply"));
  return [...new Set(others.map(({ manager }) => manager || "a manager without a name"))];
}

const heldBy = (entry: string) =>
  `${entry}.operation == "Apply" && ` +
  `${entry}.?fieldsV1[?"f:spec"][?"f:persistentVolumeClaimRetentionPolicy"][?("f:" + o)].hasValue()`;

/** A `Retain` that server-side apply holds for another manager stays, and stays that manager's. */
export const keptRetain: Bound = {
  on: ["patch"],
  says: "changes a policy from Retain where no other manager has applied it",
  cel:
    `${JSON.stringify(occasions)}.all(o, ` +
    'oldObject.spec.?persistentVolumeClaimRetentionPolicy[?o].orValue("Retain") != "Retain" || ' +
    `oldObject.metadata.?managedFields.orValue([]).all(e, e.manager == "${fieldManager}" || !(${heldBy("e")}) || ` +
    `object.metadata.?managedFields.orValue([]).exists(n, n.manager == e.manager && ${heldBy("n")})))`,
};

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
