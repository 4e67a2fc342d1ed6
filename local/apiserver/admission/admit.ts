import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Call } from "../request/call.ts";
import type { State } from "../state.ts";
import { applyPolicies } from "./mutating-policy.ts";
import { checkNamespace } from "./namespace-lifecycle.ts";
import { admitNew } from "./new-object.ts";
import { holdToPolicies } from "./validating-policy.ts";

/**
 * What stands between a request and the registry and may change the object: the admission plugins of the API server
 * that rules can tell. `live` is absent on create. Answers the admitted object, which may be the same one, changed in
 * place.
 */
export function admit(state: State, call: Call, object: KubernetesObject, live?: KubernetesObject): KubernetesObject {
  checkNamespace(state, call, object, live);
  if (!live && !call.subresource) admitNew(state, call, object);
  const admitted = applyPolicies(state, call, object, live);
  holdToPolicies(state, call, admitted, live);
  return admitted;
}
