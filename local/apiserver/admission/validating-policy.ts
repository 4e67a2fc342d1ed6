import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { enforce } from "../policy/enforce.ts";
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
  if (policies.length > 0) enforce(policies, bindings, policyRequest(state, call, object, live));
}
