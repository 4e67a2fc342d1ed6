import { z } from "zod";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readOwnAnnotation } from "../../../shared/kubernetes/read-annotation.ts";

/**
 * Annotation of a NovaComputeNode: its eviction has begun, and what neither Nova nor Kubernetes can tell of it. Where
 * the eviction stands is never read from it.
 */
export const recordKey = "holdfast.dev/eviction";

const time = z.iso.datetime();
const schema = z.looseObject({
  v: z.number().int().min(1).max(2),
  uid: z.string(),
  begun: time,
  /** The newest migration away from the host when the eviction began: those after it are the eviction's. */
  baseline: z.number().int().min(0),
  /** The newest when a person asked to try again: failures before it do not count. */
  retried: z.number().int().min(0).optional(),
  /** Since when both witnesses have said that the host is down, and what they said: when they last said otherwise. */
  down: z.object({ since: time, reported: z.string(), ready: z.string() }).optional(),
  /** When Ironic was told last to turn the host off. */
  shutdown: time.optional(),
  /** Since when Holdfast has forced nova-compute down: servers are evacuated, and nova-compute must not run. */
  hard: time.optional(),
  /** When Nova was seen to hold it down, and what it said then of the last report: each change of a service is one. */
  forced: z.object({ at: time, reported: z.string() }).optional(),
  /** What servers were before their first evacuation, by their ids. */
  was: z.record(z.string(), z.string()).optional(),
  /** Since when the host has been seen empty. */
  empty: time.optional(),
  /**
   * When Nova was told to move a server, or to confirm its move, by its id; the newest migration by then; and of how
   * many calls before no migration has come.
   */
  called: z
    .record(z.string(), z.object({ at: time, after: z.number().int(), inVain: z.number().int().min(1).optional() }))
    .optional(),
});

export type EvictionRecord = z.output<typeof schema>;

/** The record of this very object; what is damaged, or was copied from another object, counts as none. */
export const readRecord = (object: KubernetesObject): EvictionRecord | undefined =>
  readOwnAnnotation(object, recordKey, schema);
