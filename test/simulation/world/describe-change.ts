import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Change } from "./change.ts";

/** A change in one line: which object, its new version, and what of it is different. */
export function describeChange({ before, after, object, version }: Change): string {
  const { kind, metadata } = object;
  const what = !before ? "is created" : !after ? "is gone" : differences(before, after);
  return `${kind} ${metadata.name} ${what} (version ${version})`;
}

function differences(before: KubernetesObject, after: KubernetesObject): string {
  const was = flat(before);
  const is = flat(after);
  const changed = Object.keys({ ...was, ...is })
    .filter((key) => was[key] !== is[key])
    .map((key) => (is[key] === undefined ? `loses ${key}` : `${key} is ${is[key]}`));
  return changed.length > 0 ? `changes: ${changed.join("; ")}` : "changes";
}

function flat({ metadata, spec, status }: KubernetesObject): Record<string, string | undefined> {
  const { annotations = {}, finalizers, deletionTimestamp, deletionGracePeriodSeconds: grace, labels } = metadata;
  const { nodeName, volumeName } = (spec ?? {}) as { nodeName?: string; volumeName?: string };
  const said = Object.entries(annotations).map(([key, value]) => [`annotation ${key}`, value] as const);
  return {
    ...Object.fromEntries(said),
    "the list of finalizers": finalizers && `[${finalizers.join(", ")}]`,
    "the time of deletion": deletionTimestamp && `${deletionTimestamp}, grace ${grace}`,
    labels: labels && JSON.stringify(labels),
    "the node": nodeName,
    "the volume": volumeName,
    "the phase": (status as { phase?: string } | undefined)?.phase,
  };
}
