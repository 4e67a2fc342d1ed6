import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { StatefulSet as Sets } from "../../../shared/kubernetes/kind.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { progressKey } from "../../../shared/progress.ts";
import { fieldManager, holdsField } from "../lib/field-managers.ts";
import { projectingRule } from "../lib/policy.ts";
import { occasions, type RetentionPolicy, retentionOf, type StatefulSet } from "../lib/stateful-set.ts";

/**
 * Applies the field. If another manager holds the wanted value already, only that manager holds it. Without a policy,
 * Holdfast gives the field up: what no other manager holds gets the server's default, `Retain` for both.
 *
 * Seen on Kubernetes 1.36: another uid answers 422, another resourceVersion 409, a set that is gone 409; the field of a
 * set that was created without it belongs to its creator, so that an apply without force answers 409.
 */
export function applyField(set: StatefulSet, policy: RetentionPolicy | undefined): Write {
  const { namespace, name, uid, resourceVersion } = set.metadata;
  const { apiVersion, kind } = Sets;
  const current = retentionOf(set);
  const ours = occasions.filter((one) => policy && (holdsField(set, one) || policy[one] !== current[one]));
  const field = Object.fromEntries(ours.map((one) => [one, policy?.[one]]));
  const patch = {
    apiVersion,
    kind,
    metadata: { namespace, name, uid, resourceVersion },
    ...(ours.length > 0 ? { spec: { persistentVolumeClaimRetentionPolicy: field } } : {}),
  };
  return { verb: "patch", kind: Sets, namespace, name, type: "apply", patch, options: { fieldManager, force: true } };
}

/** What gives a set back as it was: first the field, where it is ours, then the note. Nothing when neither is there. */
export function releaseField(set: StatefulSet): Write | undefined {
  if (occasions.some((one) => holdsField(set, one))) return applyField(set, undefined);
  const key = progressKey(projectingRule);
  return set.metadata.annotations?.[key] === undefined ? undefined : annotate(Sets, set, { [key]: null });
}
