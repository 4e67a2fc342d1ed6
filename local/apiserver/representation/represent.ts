import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { toGroupedEvent } from "../kinds/event.ts";
import { isConverted } from "../kinds/stored-version.ts";
import { remember } from "../remember.ts";
import type { Resource } from "../resource.ts";
import { type Stored, tailOf } from "../store/stored.ts";

/** A stored object as JSON, in the version of a resource. */
export function objectJson(resource: Resource, stored: Stored): string {
  return `{"kind":"${resource.kind}","apiVersion":"${resource.apiVersion}",${servedTail(resource, stored)}`;
}

/** An item of a list as JSON: of a built-in kind without `apiVersion` and `kind`. */
export function itemJson(resource: Resource, stored: Stored): string {
  return resource.custom ? objectJson(resource, stored) : `{${servedTail(resource, stored)}`;
}

/** The metadata of an object as JSON. */
export function metadataJson({ metadata }: Pick<KubernetesObject, "metadata">): string {
  return `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":${JSON.stringify(metadata)}}`;
}

const servedTail = (resource: Resource, stored: Stored): string =>
  isConverted(resource) ? groupedTail(stored) : stored.tail;

const groupedTail = remember(({ object }: Stored) => tailOf(toGroupedEvent(object)));
