import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { forbidden, notFound } from "../failure.ts";
import type { Call } from "../request/call.ts";
import type { State } from "../state.ts";

/**
 * NamespaceLifecycle: what is written must belong to a namespace that exists, and a namespace that is going takes
 * nothing new. Throws 404 and 403.
 */
export function checkNamespace(state: State, call: Call, object: KubernetesObject, live?: KubernetesObject): void {
  const { resource, namespace } = call;
  if (!namespace || !resource.namespaced) return;
  const owner = state.store.get("/namespaces", namespace);
  if (!owner) throw notFound(state.resources.find("", "v1", "namespaces")!, namespace);
  if (live || !owner.object.metadata.deletionTimestamp) return;
  const { name, generateName } = object.metadata;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw forbidden(resource, `${name || generateName || ""}`, why, [
    {
      reason: "NamespaceTerminating",
      message: `namespace ${namespace} is being terminated`,
      field: "metadata.namespace",
    },
  ]);
}

const permanent = ["default", "kube-system", "kube-public"];

/** The same plugin's second duty: some namespaces may not be deleted. */
export function checkNamespaceDeletion({ resource, name }: Call): void {
  if (resource.kind === "Namespace" && resource.apiVersion === "v1" && permanent.includes(name ?? "")) {
    throw forbidden(resource, name ?? "", "this namespace may not be deleted");
  }
}
