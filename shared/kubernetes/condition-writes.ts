import { type Condition, setCondition, type WantedCondition } from "./condition.ts";
import type { Kind } from "./kind.ts";
import type { KubernetesObject } from "./object.ts";
import type { Write } from "./write.ts";

/**
 * The guarded patch that brings conditions of an object's status there; none where they say so already. `now` is in
 * milliseconds since the epoch.
 */
export function conditionWrites(
  kind: Kind,
  object: KubernetesObject & { readonly status?: { readonly conditions?: readonly object[] | undefined } | undefined },
  wanted: readonly WantedCondition[],
  now: number,
): readonly Write[] {
  const { namespace, name, uid, resourceVersion, generation } = object.metadata;
  const before = (object.status?.conditions ?? []) as readonly Condition[];
  const after = wanted.reduce((conditions, one) => setCondition(conditions, one, now), before);
  const types = new Set(wanted.map(({ type }) => type));
  // What is still true of a later generation has to say so: others wait for it.
  const isCurrent = after.every((one) => !types.has(one.type) || one.observedGeneration === generation);
  if (after === before && isCurrent) return [];
  const conditions = after.map((one) =>
    types.has(one.type) && generation !== undefined ? { ...one, observedGeneration: generation } : one,
  );
  const patch = { metadata: { uid, resourceVersion }, status: { conditions } };
  return [{ verb: "patch", kind, namespace, name, type: "merge", patch, options: { subresource: "status" } }];
}
