import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { waitingLabel } from "../../../shared/progress.ts";
import type { Row } from "./table.ts";

/** Why an object needs a look. */
export type Reason = "due" | "deleting" | "missing" | "resync";

/** The time a sweep stands for: everything that fell due after the sweep before it. Milliseconds since the epoch. */
export interface Span {
  readonly after: number;
  readonly until: number;
  /** Due times up to this one have passed. Later than `until` where a resync goes on since an earlier tick. */
  readonly due: number;
}

/**
 * Why an object needs a look, if it does: a due time has passed, it is being deleted with the row's finalizer, it lacks
 * the row's finalizer, or the row's resync fell into the span. Pure; reads metadata alone.
 */
export function needsLook({ metadata }: KubernetesObject, row: Row, span: Span): Reason | undefined {
  if (metadata.namespace && row.excludedNamespaces.includes(metadata.namespace)) return undefined;
  if (row.signal) return isResync(row.every, span) ? "resync" : undefined;
  const due = dueTime({ metadata });
  if (due !== undefined && due <= span.due) return "due";
  const has = (finalizer: string) => metadata.finalizers?.includes(finalizer) ?? false;
  const { when } = row;
  if (when && "deletingWith" in when && metadata.deletionTimestamp && has(when.deletingWith)) return "deleting";
  if (when && "aliveWithout" in when && !metadata.deletionTimestamp && !has(when.aliveWithout)) return "missing";
  return isResync(row.every, span) ? "resync" : undefined;
}

/** The earliest of an object's due times; `undefined` where it has none. */
export function dueTime(object: Pick<KubernetesObject, "metadata">): number | undefined {
  const times = dueTimes(object);
  return times.length > 0 ? Math.min(...times) : undefined;
}

/**
 * The due times in all progress annotations of ours, for objects that carry the waiting label. A damaged annotation is
 * due at once: what cannot be read must not wait for ever. One that was copied from another object says nothing.
 */
export function dueTimes({ metadata }: Pick<KubernetesObject, "metadata">): readonly number[] {
  if (metadata.labels?.[waitingLabel] !== "true") return [];
  return Object.entries(metadata.annotations ?? {}).flatMap(([key, value]) =>
    key.startsWith("holdfast.dev/") && value.startsWith("{") ? (nextOf(value, metadata.uid) ?? []) : [],
  );
}

function nextOf(text: string, uid: string): number | undefined {
  try {
    const progress = JSON.parse(text) as { uid?: unknown; next?: unknown };
    if (progress.next === undefined || progress.uid !== uid) return undefined;
    const time = Date.parse(String(progress.next));
    return Number.isNaN(time) ? 0 : time;
  } catch {
    return 0;
  }
}

/**
 * Whether a multiple of the period falls into the span. All objects of all rows are resynced together: what is spread
 * over the period would trigger every function again and again in a cluster in which nothing happens.
 */
function isResync(every: number, { after, until }: Span): boolean {
  return Math.floor(until / every) > Math.floor(after / every);
}
