import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { asServed, asStored } from "../kinds/stored-version.ts";
import { strategyOf } from "../kinds/strategies.ts";
import { copyOf } from "../patch/copy.ts";
import { mutate } from "../policy/mutate.ts";
import type { Call } from "../request/call.ts";
import type { State } from "../state.ts";
import { policiesFor, policyGroup, policyRequest } from "./policy-request.ts";

/**
 * MutatingAdmissionPolicy: what the cluster's policies make of an object, which is defaulted again when they change it.
 */
export function applyPolicies(
  state: State,
  call: Call,
  object: KubernetesObject,
  live?: KubernetesObject,
): KubernetesObject {
  const { resource } = call;
  if (resource.apiVersion.startsWith(`${policyGroup}/`)) return object;
  const { policies, bindings } = policiesFor(state, "mutating");
  if (bindings.length === 0 || policies.length === 0) return object;
  const served = asServed(resource, object);
  const mutated = mutate(policies, bindings, { ...policyRequest(state, call, object, live), object: served });
  if (mutated === served) return object;
  const result = asStored(resource, copyOf(mutated) as KubernetesObject);
  strategyOf(resource).defaults?.(result);
  return result;
}
