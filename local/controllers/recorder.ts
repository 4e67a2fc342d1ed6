import type { Random } from "../../eventing/random.ts";
import type { Clock } from "../../shared/clock.ts";
import { ApiError } from "../../shared/kubernetes/api-error.ts";
import type { Client } from "../../shared/kubernetes/client.ts";
import { Event } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { microTimestamp } from "../../shared/kubernetes/timestamp.ts";

/** What happened, as the component that saw it words it. */
export interface Occurrence {
  type: "Normal" | "Warning";
  /** Machine-readable, for example `FailedScheduling`. */
  reason: string;
  /** What was attempted; the reason when absent. */
  action?: string;
  note: string;
  /** The component, for example `kubelet`. */
  by: string;
  /** Which of its instances, for example the node; the component when absent. */
  instance?: string;
  /** The part of the object it is about, for example `spec.containers{main}`. */
  fieldPath?: string;
}

/** Shows an occurrence on an object as an events.k8s.io/v1 Event. Returns at once and never throws. */
export type Recorder = (about: KubernetesObject, occurrence: Occurrence) => void;

/** Different occurrences remembered, so that each is shown once. */
const memory = 1000;

/**
 * Records an Event for each occurrence; the same one on the same object again, as far as it is remembered, adds
 * nothing. `failed` hears of Events that could not be written; they are not tried again. Of those on objects of a
 * namespace that goes there are no Events: it takes no new objects, Events neither.
 */
export function createRecorder(
  tools: { client: Client; clock: Clock; random: Random },
  failed: (error: unknown) => void,
): Recorder {
  const known = new Set<string>();
  return (about, occurrence) => {
    const key = JSON.stringify([about.metadata.uid, occurrence]);
    if (known.has(key)) return;
    known.add(key);
    const [oldest = key] = known;
    if (known.size > memory) known.delete(oldest);
    const name = `${about.metadata.name.slice(0, 230)}.${hex(tools.random)}`;
    const now = microTimestamp(tools.clock.now());
    tools.client.create(Event, eventOf(name, now, about, occurrence)).catch((error) => {
      known.delete(key);
      const isEnding =
        error instanceof ApiError && error.causes.some(({ reason }) => reason === "NamespaceTerminating");
      if (!isEnding) failed(error);
    });
  };
}

function eventOf(name: string, now: string, about: KubernetesObject, occurrence: Occurrence) {
  const { type, reason, note, by, instance = by, action = reason, fieldPath } = occurrence;
  const { apiVersion, kind, metadata } = about;
  return {
    apiVersion: Event.apiVersion,
    kind: Event.kind,
    // Events on cluster-scoped objects live in `default`, as the API server demands. The server sets what is missing.
    metadata: { name, namespace: metadata.namespace ?? "default" } as KubernetesObject["metadata"],
    eventTime: now,
    type,
    reason,
    action,
    note: note.slice(0, 1024),
    regarding: {
      apiVersion,
      kind,
      namespace: metadata.namespace,
      name: metadata.name,
      uid: metadata.uid,
      resourceVersion: metadata.resourceVersion,
      ...(fieldPath ? { fieldPath } : {}),
    },
    reportingController: by,
    reportingInstance: instance,
  };
}

function hex(random: Random): string {
  return Array.from({ length: 16 }, () => random.below(16).toString(16)).join("");
}
