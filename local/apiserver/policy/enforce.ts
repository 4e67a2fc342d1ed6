import type { Fields } from "../../../shared/kubernetes/fields.ts";
import { groupOf } from "../../../shared/kubernetes/kind.ts";
import { objectsIn, specOf } from "../kinds/fields.ts";
import { StatusError } from "../status-error.ts";
import { conditionsHold, evaluate } from "./evaluate.ts";
import { matching, nameOf, unlessIgnored } from "./matching.ts";
import type { AdmissionRequest } from "./request.ts";

/**
 * Holds a write to ValidatingAdmissionPolicies: those whose binding matches, and says `Deny`. Parameters, audit
 * annotations and `messageExpression` are not supported.
 *
 * Throws the API server's refusal, 422 or what the validation's `reason` says, for the first validation that comes to
 * false, or that fails, unless the policy's `failurePolicy` is `Ignore`.
 */
export function enforce(policies: readonly Fields[], bindings: readonly Fields[], request: AdmissionRequest): void {
  for (const { policy, binding } of matching(policies, bindings, () => request)) {
    const { validationActions } = specOf(binding);
    if (Array.isArray(validationActions) && validationActions.includes("Deny")) run(policy, binding, request);
  }
}

function run(policy: Fields, binding: Fields, request: AdmissionRequest): void {
  const spec = specOf(policy);
  const deny = (why: unknown, reason: unknown) =>
    denied(request, reason, `ValidatingAdmissionPolicy '${nameOf(policy)}' with binding '${nameOf(binding)}' ${why}`);
  const attempt = (holds: () => boolean, instead: boolean) =>
    unlessIgnored(policy, holds, instead, (why) => deny(`denied request: ${why}`, "Invalid"));
  if (!attempt(() => conditionsHold(spec, request), false)) return;
  for (const { expression, message, reason = "Invalid" } of objectsIn(spec, "validations")) {
    if (attempt(() => evaluate(String(expression), spec, request) === true, true)) continue;
    throw deny(`denied request: ${message ?? `failed expression: ${expression}`}`, reason);
  }
}

const statuses: Readonly<Record<string, number>> = { Unauthorized: 401, Forbidden: 403, RequestEntityTooLarge: 413 };

function denied({ resource, name }: AdmissionRequest, reason: unknown, message: string): StatusError {
  const group = groupOf(resource);
  const details = { ...(name ? { name } : {}), ...(group ? { group } : {}), kind: resource.plural };
  const said = `${group ? `${resource.plural}.${group}` : resource.plural} "${name}" is forbidden: ${message}`;
  const status = statuses[String(reason)] ?? 422;
  return new StatusError(status, String(reason), said, { ...details, causes: [{ message }] });
}
