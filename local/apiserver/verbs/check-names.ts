import type { KubernetesObject, ObjectMeta } from "../../../shared/kubernetes/object.ts";
import { badRequest } from "../failure.ts";
import type { ObjectCall } from "../request/call.ts";

/** Holds the names in an object against those in the URL. Throws 400. */
export function checkNames({ name, namespace }: ObjectCall, { metadata }: KubernetesObject): void {
  if (!metadata.name) {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (metadata.name !== name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  }
  takeNamespace(namespace, metadata);
}

/** Gives an object the namespace of the URL. Throws 400 when it says another one. In place. */
export function takeNamespace(namespace: string | undefined, metadata: ObjectMeta): void {
  if (metadata.namespace && namespace && metadata.namespace !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  if (namespace) metadata.namespace = namespace;
  else delete metadata.namespace;
}
