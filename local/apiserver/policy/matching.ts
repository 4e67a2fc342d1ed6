import type { Fields } from "../../../shared/kubernetes/fields.ts";
import { fieldsAt, specOf } from "../kinds/fields.ts";
import { ExpressionError } from "./expression.ts";
import { matches } from "./match.ts";
import type { AdmissionRequest } from "./request.ts";

/** The name of a policy or a binding. */
export const nameOf = (object: Fields) => String(fieldsAt(object, "metadata").name);

/**
 * Each policy with each of its bindings, in their order, where both speak of the request. The request is asked for each
 * time, because a policy may have changed its object.
 */
export function* matching(policies: readonly Fields[], bindings: readonly Fields[], request: () => AdmissionRequest) {
  for (const policy of policies) {
    if (!matches(fieldsAt(specOf(policy), "matchConstraints"), request(), true)) continue;
    for (const binding of bindings) {
      if (specOf(binding).policyName !== nameOf(policy)) continue;
      if (matches(fieldsAt(specOf(binding), "matchResources"), request(), false)) yield { policy, binding };
    }
  }
}

/** What an expression of a policy comes to; `instead` where it fails and the policy ignores failures. */
export function unlessIgnored<T>(policy: Fields, attempt: () => T, instead: T, deny: (why: string) => Error): T {
  try {
    return attempt();
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    if (specOf(policy).failurePolicy === "Ignore") return instead;
    throw deny(error.message);
  }
}
