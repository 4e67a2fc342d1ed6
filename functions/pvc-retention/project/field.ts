import { StatefulSet as Sets } from "../../../shared/kubernetes/kind.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import type { RetentionPolicy, StatefulSet } from "../../../shared/retention/stateful-set.ts";

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

/**
 * Applies the field, together with what the rule writes down about the set: one write, so that neither is ever true without
 * the other. Without a policy the field is given back: what nobody else holds falls to the server's default,
 * `Retain` for both.
 *
 * Seen on Kubernetes 1.36: another uid answers 422, another resourceVersion 409, a set that is gone 409; the field of a
 * set that was created without it belongs to its creator, so that an apply without force answers 409.
 */
export function applyField(
  { metadata }: StatefulSet,
  policy: RetentionPolicy | undefined,
  annotations: Record<string, string>,
): Write {
  const { namespace, name, uid, resourceVersion } = metadata;
  const { apiVersion, kind } = Sets;
  const patch = {
    apiVersion,
    kind,
    metadata: { namespace, name, uid, resourceVersion, annotations },
    ...(policy
      ? {
          spec: {
            persistentVolumeClaimRetentionPolicy: { whenDeleted: policy.whenDeleted, whenScaled: policy.whenScaled },
          },
        }
      : {}),
  };
  return { verb: "patch", kind: Sets, namespace, name, type: "apply", patch, options: { fieldManager, force: true } };
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
