import { groupOf } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Resource } from "../resource.ts";
import { toCoreEvent, toGroupedEvent } from "./event.ts";

const isGroupedEvent = (resource: Resource) => groupOf(resource) === "events.k8s.io";

/** Whether the version shows what is stored under other names, so that its JSON is its own. */
export const isConverted = isGroupedEvent;

/** A stored object in the version of a resource. */
export function asServed(resource: Resource, object: KubernetesObject): KubernetesObject {
  if (isGroupedEvent(resource)) return toGroupedEvent(object);
  return object.apiVersion === resource.apiVersion ? object : { ...object, apiVersion: resource.apiVersion };
}

/**
 * An object of a resource's version as it is stored. Versions of a custom resource differ in nothing but their name.
 */
export const asStored = (resource: Resource, object: KubernetesObject): KubernetesObject =>
  isGroupedEvent(resource) ? toCoreEvent(object) : object;
