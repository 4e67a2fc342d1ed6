import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { asServed } from "../kinds/stored-version.ts";
import type { AdmissionRequest } from "../policy/request.ts";
import type { Call } from "../request/call.ts";
import type { State } from "../state.ts";

/** The group of admission policies, which no policy can lock out. */
export const policyGroup = "admissionregistration.k8s.io";

/** The policies of a kind and their bindings, and what they judge: `object` is absent on delete, `live` on create. */
export function policiesFor({ store }: State, kind: "mutating" | "validating") {
  const all = (plural: string) => (store.list(`${policyGroup}/${kind}${plural}`, "") ?? []).map(({ object }) => object);
  return { policies: all("admissionpolicies"), bindings: all("admissionpolicybindings") };
}

/** A call as policies see it. */
export function policyRequest(
  { store }: State,
  { resource, namespace, subresource, user, dryRun, query }: Call,
  object: KubernetesObject | undefined,
  live: KubernetesObject | undefined,
): AdmissionRequest {
  return {
    operation: object ? (live ? "UPDATE" : "CREATE") : "DELETE",
    resource,
    subresource,
    name: (object ?? live)?.metadata.name ?? "",
    namespace,
    namespaceObject: namespace ? store.get("/namespaces", namespace)?.object : undefined,
    ...(object ? { object: asServed(resource, object) } : {}),
    oldObject: live && asServed(resource, live),
    user: { username: user.user, groups: user.groups },
    dryRun,
    fieldManager: query.get("fieldManager") ?? undefined,
  };
}
