import { annotate } from "../../../shared/kubernetes/annotate.ts";
import { Node } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Write } from "../../../shared/kubernetes/write.ts";

/** The label of a Node by which its L2 (or OVN) agent's owner says whether others may be there: `False` admits them. */
export const maintenanceLabel = "maintenance.yaook.cloud/maintenance-required-l2-agent";
/** Annotations of a Node: each says that what it names needs the L2 agent there. Whose they are is an open list. */
export const lockPrefix = "l2-lock.maintenance.yaook.cloud/";

/** The annotation by which a resource locks its Node. */
export const lockOf = ({ kind, spec }: { readonly kind: string; readonly spec?: unknown }): string =>
  `${lockPrefix}${(spec as { lockName?: string } | undefined)?.lockName || kind}`;

/** The names of all locks on a Node, of all writers. */
export const locksOn = ({ metadata }: KubernetesObject): readonly string[] =>
  Object.keys(metadata.annotations ?? {})
    .filter((key) => key.startsWith(lockPrefix))
    .map((key) => key.slice(lockPrefix.length))
    .sort();

export const hasLock = ({ metadata }: KubernetesObject, lock: string): boolean =>
  metadata.annotations?.[lock] !== undefined;

/** `False`: others may be on the Node. `True`: they are to leave. Absent, or anything else: none comes, none goes. */
export const maintenanceOf = ({ metadata }: KubernetesObject): string | undefined =>
  metadata.labels?.[maintenanceLabel];

/** Sets a lock, or takes it off: guarded by the Node as it was read, so that of two writers one looks again. */
export const setLock = (node: KubernetesObject, lock: string, isSet: boolean): Write =>
  annotate(Node, node, { [lock]: isSet ? "" : null });

/** Sets the label, guarded likewise. It is never taken off. */
export const setMaintenance = (node: KubernetesObject, isRequired: boolean): Write =>
  annotate(Node, node, {}, { [maintenanceLabel]: isRequired ? "True" : "False" });
