import { Event } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject, ObjectReference } from "../../shared/kubernetes/object.ts";
import { type Objects, useList } from "./use-list.ts";

/** A Kubernetes Event, as events.k8s.io has it. */
export interface EventObject extends KubernetesObject {
  readonly type?: string;
  readonly reason?: string;
  readonly note?: string;
  readonly reportingController?: string;
  readonly reportingInstance?: string;
  readonly regarding?: ObjectReference & { readonly uid?: string };
  readonly eventTime?: string | null;
  readonly deprecatedLastTimestamp?: string | null;
  readonly series?: { readonly count: number; readonly lastObservedTime: string };
}

/** When an Event was seen last, RFC 3339. */
export const lastSeen = ({ series, eventTime, deprecatedLastTimestamp, metadata }: EventObject): string =>
  series?.lastObservedTime ?? eventTime ?? deprecatedLastTimestamp ?? metadata.creationTimestamp ?? "";

/** The Events about one object, which for one of the cluster are in the namespace default. */
export function useEvents({ kind, namespace, name }: Pick<ObjectReference, "kind" | "namespace" | "name">) {
  return useList<EventObject>(Event, {
    namespace: namespace ?? "default",
    fieldSelector: `regarding.kind=${kind},regarding.name=${name}`,
  });
}

/** Whether a function of Holdfast has recorded the Event. */
export const isOurs = ({ reportingController = "" }: EventObject): boolean =>
  reportingController.startsWith("holdfast.dev/");

/** The Warnings of all namespaces. */
export const useWarnings = (): Objects<EventObject> => useList<EventObject>(Event, { fieldSelector: "type=Warning" });
