import type { Client } from "../../shared/kubernetes/client.ts";
import type { Kind } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";

/** Writes these fields into the status of an object, as the controller of its kind does. */
export const setStatus = (
  client: Client,
  kind: Kind,
  namespace: string | undefined,
  name: string,
  status: object,
): Promise<KubernetesObject | undefined> =>
  client.patch(kind, namespace, name, "merge", { status }, { subresource: "status" });
