import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";

/** One version of one object. The object is frozen: a new version is a new `Stored`. */
export interface Stored {
  /** `namespace/name`, or the name alone for cluster-scoped kinds. */
  readonly key: string;
  /** The resourceVersion as a number. */
  readonly version: number;
  readonly object: KubernetesObject;
  /**
   * The object as JSON without `apiVersion` and `kind` and without the opening brace, made once: a GET, an item of a
   * list and every watcher share it, each with the head that its API version wants.
   */
  readonly tail: string;
}

/**
 * Freezes `object` as version `version`; 0 is for what was never stored. The caller hands the object over and does not
 * touch it again.
 */
export function storedAs(key: string, version: number, object: KubernetesObject): Stored {
  if (version > 0) object.metadata.resourceVersion = String(version);
  deepFreeze(object);
  let tail: string | undefined;
  return {
    key,
    version,
    object,
    get tail() {
      tail ??= tailOf(object);
      return tail;
    },
  };
}

/** JSON of everything but `apiVersion` and `kind`, without the opening brace. */
export function tailOf({ apiVersion, kind, ...rest }: KubernetesObject): string {
  return JSON.stringify(rest).slice(1);
}

function deepFreeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const child of Object.values(value)) deepFreeze(child);
}

/** What happened to one object. */
export interface StoreEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** The new version; of a deletion the last state, under the resourceVersion of the deletion. */
  readonly current: Stored;
  /** The version before; absent for `ADDED`. */
  readonly previous?: Stored;
}
