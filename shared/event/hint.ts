import type { KubernetesObject } from "../kubernetes/object.ts";

/** What the source saw happen to an object. */
export type Change = "add" | "update" | "delete";

/**
 * An event, reduced to what may be made of it: a reason to look somewhere. Nothing in it is believed: a forged, stale,
 * duplicated or reordered hint changes nothing that a fresh read would not change.
 */
export interface Hint {
  /** The CloudEvent's id, for the log. ApiServerSource draws a new one per emission: not a key to deduplicate by. */
  readonly id: string;
  /** `signal`: something that is no change of a Kubernetes object has happened, and names this one. */
  readonly change: Change | "sweep" | "signal";
  /** The CloudEvent type of a signal. */
  readonly signal?: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** Absent for cluster-scoped kinds, where the source sends an empty attribute. */
  readonly namespace?: string;
  readonly name: string;
  /**
   * The object as the source saw it (the last state for a delete). Absent in Reference mode and from the sweep. Parsed
   * when first asked for; throws {@link MalformedEvent} when the data is not a Kubernetes object of this name.
   */
  readonly object: KubernetesObject | undefined;
}
