import type { Fields } from "../../../shared/kubernetes/fields.ts";
import { groupOf } from "../../../shared/kubernetes/kind.ts";
import { fieldsAt, objectsIn, specOf } from "../kinds/fields.ts";
import { jsonPatch } from "../patch/json-patch.ts";
import { StatusError } from "../status-error.ts";
import { conditionsHold, evaluate } from "./evaluate.ts";
import { ExpressionError } from "./expression.ts";
import { matches } from "./match.ts";
import { applyConfiguration } from "./policy-configuration.ts";
import type { AdmissionRequest, WriteRequest } from "./request.ts";

/**
 * What MutatingAdmissionPolicies make of an object about to be stored; the object given is not touched. Policies run
 * once each, by name, for every binding that matches. Parameters are not supported: a policy that wants some refuses
 * what it matches.
 *
 * An expression that fails denies the request with the API server's 403 (whose reason is `Invalid`), unless the
 * policy's `failurePolicy` is `Ignore`: then that mutation is left out.
 */
export function mutate(policies: readonly Fields[], bindings: readonly Fields[], request: WriteRequest): Fields {
  const { resource } = request;
  if (groupOf(resource) === "admissionregistration.k8s.io") return request.object;
  let { object } = request;
  for (const policy of [...policies].sort(byName)) {
    const constraints = fieldsAt(specOf(policy), "matchConstraints");
    if (!matches(constraints, { ...request, object }, true)) continue;
    for (const binding of bindings.filter((one) => specOf(one).policyName === nameOf(policy)).sort(byName)) {
      const now = { ...request, object };
      if (matches(fieldsAt(specOf(binding), "matchResources"), now, false)) object = run(policy, binding, now);
    }
  }
  return object;
}

const nameOf = (object: Fields) => String(fieldsAt(object, "metadata").name);
const byName = (a: Fields, b: Fields) => (nameOf(a) < nameOf(b) ? -1 : 1);

function run(policy: Fields, binding: Fields, request: WriteRequest): Fields {
  const spec = specOf(policy);
  const deny = (why: string) =>
    denied(request, `policy '${nameOf(policy)}' with binding '${nameOf(binding)}' denied request: ${why}`);
  if (spec.paramKind || specOf(binding).paramRef) throw deny("parameters of policies are not supported here");
  const unlessIgnored = <T>(attempt: () => T, instead: T): T => {
    try {
      return attempt();
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      if (spec.failurePolicy === "Ignore") return instead;
      throw deny(error.message);
    }
  };
  if (!unlessIgnored(() => conditionsHold(spec, request), false)) return request.object;
  return objectsIn(spec, "mutations").reduce(
    (object, mutation) => unlessIgnored(() => applyMutation(spec, mutation, { ...request, object }), object),
    request.object,
  );
}

function applyMutation(spec: Fields, mutation: Fields, request: WriteRequest): Fields {
  const { patchType } = mutation;
  if (patchType === "ApplyConfiguration") {
    const { expression } = fieldsAt(mutation, "applyConfiguration");
    return applyConfiguration(request.resource, request.object, evaluate(String(expression), spec, request));
  }
  if (patchType !== "JSONPatch") throw new ExpressionError(`the patch type ${patchType} is not supported`);
  const { expression } = fieldsAt(mutation, "jsonPatch");
  const operations = evaluate(String(expression), spec, request);
  try {
    return jsonPatch(request.object, operations);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw new ExpressionError(`JSON Patch: ${JSON.stringify(operations)} does not apply`, { cause: error });
  }
}

function denied({ resource, name }: AdmissionRequest, message: string): StatusError {
  const group = groupOf(resource);
  const details = { ...(name ? { name } : {}), ...(group ? { group } : {}), kind: resource.plural };
  return new StatusError(403, "Invalid", message, { ...details, causes: [{ message }] });
}
