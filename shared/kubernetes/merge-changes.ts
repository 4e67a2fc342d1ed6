import type { Kind } from "./kind.ts";
import type { KubernetesObject } from "./object.ts";
import type { Write } from "./write.ts";

/** What is to be so of an object; null removes. */
export interface Wanted {
  readonly annotations?: Readonly<Record<string, string | null>>;
  readonly labels?: Readonly<Record<string, string | null>>;
  readonly spec?: object;
}

/**
 * The merge patch that brings the object as it was read to what is wanted: only what it does not say yet, and no write
 * at all where it says everything. Its uid and resourceVersion make the API server answer 409 when the object is
 * another one or has changed since. Lists are compared, and replaced, as a whole.
 */
export function mergeChanges(kind: Kind, object: KubernetesObject, wanted: Wanted): readonly Write[] {
  const { annotations, labels, spec } = wanted;
  const changes = difference(object, { metadata: { annotations, labels }, spec }) as { metadata?: object } | undefined;
  if (!changes) return [];
  const { namespace, name, uid, resourceVersion } = object.metadata;
  const patch = { ...changes, metadata: { uid, resourceVersion, ...changes.metadata } };
  return [{ verb: "patch", kind, namespace, name, type: "merge", patch }];
}

/** What of a merge patch (RFC 7386) would change the value; `undefined` when nothing. */
function difference(value: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch))
    return patch === undefined || JSON.stringify(patch) === JSON.stringify(value ?? null) ? undefined : patch;
  const fields = Object.entries(patch)
    .map(([key, wanted]) => [key, difference((value as Record<string, unknown> | undefined)?.[key], wanted)] as const)
    .filter(([, wanted]) => wanted !== undefined);
  return fields.length > 0 ? Object.fromEntries(fields) : undefined;
}
