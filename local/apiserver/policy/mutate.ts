import type { Fields } from "../../../shared/kubernetes/fields.ts";
import { about } from "../failure.ts";
import { fieldsAt, objectsIn, specOf } from "../kinds/fields.ts";
import { StatusError } from "../status-error.ts";
import { conditionsHold, evaluate } from "./evaluate.ts";
import { ExpressionError } from "./expression.ts";
import { matching, nameOf, unlessIgnored } from "./matching.ts";
import { applyConfiguration } from "./policy-configuration.ts";
import type { AdmissionRequest, WriteRequest } from "./request.ts";

/**
 * What MutatingAdmissionPolicies make of an object about to be stored; the object given is not touched. Policies run
 * once each, in the order given, for every binding that matches. Parameters and JSON patches are not supported: a
 * policy that wants some refuses what it matches.
 *
 * An expression that fails denies the request with the API server's 403 (whose reason is `Invalid`), unless the
 * policy's `failurePolicy` is `Ignore`: then that mutation is left out.
 */
export function mutate(policies: readonly Fields[], bindings: readonly Fields[], request: WriteRequest): Fields {
  let { object } = request;
  for (const { policy, binding } of matching(policies, bindings, () => ({ ...request, object }))) {
    object = run(policy, binding, { ...request, object });
  }
  return object;
}

function run(policy: Fields, binding: Fields, request: WriteRequest): Fields {
  const spec = specOf(policy);
  const deny = (why: string) =>
    denied(request, `policy '${nameOf(policy)}' with binding '${nameOf(binding)}' denied request: ${why}`);
  if (spec.paramKind || specOf(binding).paramRef) throw deny("parameters of policies are not supported here");
  if (!unlessIgnored(policy, () => conditionsHold(spec, request), false, deny)) return request.object;
  return objectsIn(spec, "mutations").reduce(
    (object, mutation) =>
      unlessIgnored(policy, () => applyMutation(spec, mutation, { ...request, object }), object, deny),
    request.object,
  );
}

function applyMutation(spec: Fields, mutation: Fields, request: WriteRequest): Fields {
  const { patchType } = mutation;
  if (patchType !== "ApplyConfiguration")
    throw new ExpressionError(`the patch type ${patchType} is not supported here`);
  const { expression } = fieldsAt(mutation, "applyConfiguration");
  return applyConfiguration(request.resource, request.object, evaluate(String(expression), spec, request));
}

const denied = ({ resource, name }: AdmissionRequest, message: string) =>
  new StatusError(403, "Invalid", message, { ...about(resource, name), causes: [{ message }] });
