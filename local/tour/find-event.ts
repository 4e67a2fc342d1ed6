import type { Client } from "../../shared/kubernetes/client.ts";
import { Event } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { tourNamespace } from "./namespace.ts";

interface KubernetesEvent extends KubernetesObject {
  reason?: string;
  regarding?: { name?: string };
}

/**
 * Whether an Event of this reason was written on an object of the tour; those on objects of no namespace are in
 * `default`.
 */
export async function findEvent(
  client: Client,
  about: string,
  reason: string,
  namespace = tourNamespace,
): Promise<boolean> {
  for await (const event of client.list<KubernetesEvent>(Event, { namespace })) {
    if (event.regarding?.name === about && event.reason === reason) return true;
  }
  return false;
}
