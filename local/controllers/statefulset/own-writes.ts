import type { Reflection } from "../../../eventing/watch/reflect.ts";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";

/**
 * What the controller has written for each set and its caches may not show yet. Acting on a cache from before one's own
 * writes means to do things twice, which is why Kubernetes waits since 1.36 (KEP-5647).
 */
export interface OwnWrites {
  /** Notes what a write answered; nothing when the object was gone. */
  wrote(set: string, kind: Kind, object: KubernetesObject | undefined): void;
  /** Whether a cache is older than a write for this set. */
  isBehind(set: string): boolean;
  forget(set: string): void;
}

/**
 * Compares versions as numbers, as has been allowed since 1.35 for objects of one kind. `seen` is called for a set that
 * was found behind, once the caches have caught up.
 */
export function trackOwnWrites(
  caches: readonly (readonly [Kind, Reflection])[],
  caughtUp: (set: string) => void,
): OwnWrites {
  const seen = new Map<string, number>();
  const written = new Map<string, Map<string, number>>();
  const waiting = new Set<string>();
  const versionOf = ({ metadata }: KubernetesObject) => Number(metadata.resourceVersion);

  function isBehind(set: string): boolean {
    for (const [plural, version] of written.get(set) ?? []) if (version > (seen.get(plural) ?? 0)) return true;
    return false;
  }

  for (const [{ plural }, cache] of caches) {
    cache.on((_, object) => {
      seen.set(plural, Math.max(seen.get(plural) ?? 0, versionOf(object)));
      for (const set of [...waiting]) {
        if (isBehind(set)) continue;
        waiting.delete(set);
        caughtUp(set);
      }
    });
  }

  return {
    wrote(set, { plural }, object) {
      if (!object) return;
      const versions = written.get(set) ?? new Map<string, number>();
      written.set(set, versions.set(plural, Math.max(versions.get(plural) ?? 0, versionOf(object))));
    },
    isBehind(set) {
      const behind = isBehind(set);
      if (behind) waiting.add(set);
      else written.delete(set);
      return behind;
    },
    forget(set) {
      written.delete(set);
      waiting.delete(set);
    },
  };
}
