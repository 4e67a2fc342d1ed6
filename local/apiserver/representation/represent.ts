import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Resource } from "../resource.ts";
import type { Stored } from "../store/stored.ts";

/** The form in which a client wants objects: whole, or their metadata alone. */
export type Representation = "whole" | "metadata";

/** A stored object as JSON. Items of a list of a built-in kind carry neither `apiVersion` nor `kind`. */
export function objectJson(resource: Resource, stored: Stored, form: Representation = "whole"): string {
  if (form === "metadata") return metadataJson(stored.object);
  return `{"kind":"${resource.kind}","apiVersion":"${resource.apiVersion}",${stored.tail}`;
}

export function itemJson(resource: Resource, stored: Stored, form: Representation): string {
  if (form === "metadata") return metadataJson(stored.object);
  return resource.custom ? objectJson(resource, stored) : `{${stored.tail}`;
}

const metadataJson = (object: KubernetesObject) =>
  `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":${JSON.stringify(object.metadata)}}`;
