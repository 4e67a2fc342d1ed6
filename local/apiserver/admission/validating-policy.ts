import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { collectionOf } from "../kinds/resource-table.ts";
import { asServed } from "../kinds/stored-version.ts";
import { enforce, type ListKind } from "../policy/enforce.ts";
import type { Call } from "../request/call.ts";
import type { State } from "../state.ts";
import { policiesFor, policyGroup, policyRequest } from "./policy-request.ts";

/**
 * ValidatingAdmissionPolicy: throws what the cluster's policies refuse. `object` is absent on delete, `live` on create.
 */
export function holdToPolicies(
  state: State,
  call: Call,
  object: KubernetesObject | undefined,
  live?: KubernetesObject,
): void {
  if (call.resource.apiVersion.startsWith(`${policyGroup}/`)) return;
  const { policies, bindings } = policiesFor(state, "validating");
  if (policies.length === 0) return;
  const list: ListKind = (apiVersion, kind, namespace) => {
    const resource = state.resources.all().find((one) => one.apiVersion === apiVersion && one.kind === kind);
    if (!resource) return undefined;
    const prefix = resource.namespaced && namespace ? `${namespace}/` : "";
    return (state.store.list(collectionOf(resource), prefix) ?? []).map((one) => asServed(resource, one.object));
  };
  enforce(policies, bindings, policyRequest(state, call, object, live), list);
}
