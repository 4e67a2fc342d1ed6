import { StatefulSet as Sets } from "../../../shared/kubernetes/kind.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { fieldManager } from "../../../shared/retention/field-managers.ts";
import type { RetentionPolicy, StatefulSet } from "../../../shared/retention/stateful-set.ts";

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
