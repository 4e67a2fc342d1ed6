import type { Fields } from "../../../../shared/kubernetes/fields.ts";
import { StrategicMergeError } from "../../../../shared/kubernetes/strategic-merge/directive.ts";
import { type MergeType, strategicMerge } from "../../../../shared/kubernetes/strategic-merge/merge.ts";

/** Lists of a DaemonSet whose elements the Kubernetes API merges by a key; all others are replaced whole. */
const mergeKeys: Readonly<Record<string, string>> = {
  containers: "name",
  initContainers: "name",
  ephemeralContainers: "name",
  volumes: "name",
  env: "name",
  ports: "containerPort",
  volumeMounts: "mountPath",
  volumeDevices: "devicePath",
  imagePullSecrets: "name",
  hostAliases: "ip",
  topologySpreadConstraints: "topologyKey",
};

/** A part of a DaemonSet: the names of its lists say which of them merge. */
const part: MergeType = {
  member: (name) => {
    if (name.startsWith("$")) return undefined;
    return Object.hasOwn(mergeKeys, name) ? { ...part, strategy: "merge", key: mergeKeys[name], items: part } : part;
  },
};

/**
 * Applies a strategic merge patch to a DaemonSet, as the API server does, and leaves both as they were. Of its
 * directives only `$patch` is applied: kustomize, whose patches these are, knows no other.
 *
 * @throws Error with a sentence that says why the patch cannot be applied.
 */
export function mergeDaemonSet(daemonSet: Fields, patch: Fields): Fields {
  const directive = otherDirective(patch);
  if (directive) throw new Error(`The patch has the directive ${directive}, which is not supported.`);
  try {
    return strategicMerge(structuredClone(daemonSet), structuredClone(patch), part);
  } catch (error) {
    if (!(error instanceof StrategicMergeError)) throw error;
    throw new Error(`The API server would not apply the patch: ${error.message}.`, { cause: error });
  }
}

function otherDirective(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const own = Array.isArray(value) ? undefined : Object.keys(value).find((key) => /^\$(?!patch$)/.test(key));
  return own ?? Object.values(value).map(otherDirective).find(Boolean);
}
