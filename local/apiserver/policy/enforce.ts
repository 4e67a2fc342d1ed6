import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import { type LabelSelector, type Labels, matchesLabelSelector } from "../../../shared/kubernetes/label-selector.ts";
import { about, qualified } from "../failure.ts";
import { fieldsAt, objectsIn, specOf } from "../kinds/fields.ts";
import { StatusError } from "../status-error.ts";
import { conditionsHold, evaluate } from "./evaluate.ts";
import { matching, nameOf, unlessIgnored } from "./matching.ts";
import type { AdmissionRequest } from "./request.ts";

/** The objects of a kind: in a namespace, or in all where that is absent. `undefined` for a kind that is not served. */
export type ListKind = (
  apiVersion: unknown,
  kind: unknown,
  namespace: string | undefined,
) => readonly Fields[] | undefined;

/**
 * Holds a write to ValidatingAdmissionPolicies: those whose binding matches, and says `Deny`; those with parameters to
 * each of them. Parameters are selected by labels, in the namespace of what is written, and where there is none the
 * write is allowed. Where their kind is not served, each write that the binding matches is refused, also where the
 * policy's `matchConditions` leave it out. Audit annotations and `messageExpression` are not supported.
 *
 * Throws the API server's refusal, 422 or what the validation's `reason` says, for the first validation that comes to
 * false, or that fails, unless the policy's `failurePolicy` is `Ignore`.
 */
export function enforce(
  policies: readonly Fields[],
  bindings: readonly Fields[],
  request: AdmissionRequest,
  list: ListKind,
): void {
  for (const { policy, binding } of matching(policies, bindings, () => request)) {
    const { validationActions } = specOf(binding);
    if (!Array.isArray(validationActions) || !validationActions.includes("Deny")) continue;
    for (const params of paramsOf(policy, binding, request, list)) run(policy, binding, { ...request, params });
  }
}

/** What a policy is asked with, once for each; once without where it has no parameters. */
function paramsOf(
  policy: Fields,
  binding: Fields,
  request: AdmissionRequest,
  list: ListKind,
): readonly (Fields | undefined)[] {
  const { namespace } = request;
  const { paramKind } = specOf(policy);
  if (!isFields(paramKind)) return [undefined];
  const { selector } = fieldsAt(specOf(binding), "paramRef");
  const all = list(paramKind.apiVersion, paramKind.kind, namespace);
  if (!all && specOf(policy).failurePolicy === "Ignore") return [];
  if (!all) {
    const kind = `${paramKind.apiVersion}, Kind=${paramKind.kind}`;
    const why = `failed to configure binding: failed to find resource referenced by paramKind: '${kind}'`;
    throw denied(request, "Invalid", by(policy, binding, `denied request: ${why}`));
  }
  return all.filter((one) =>
    matchesLabelSelector(selector as LabelSelector, fieldsAt(one, "metadata", "labels") as Labels),
  );
}

const by = (policy: Fields, binding: Fields, why: string) =>
  `ValidatingAdmissionPolicy '${nameOf(policy)}' with binding '${nameOf(binding)}' ${why}`;

function run(policy: Fields, binding: Fields, request: AdmissionRequest): void {
  const spec = specOf(policy);
  const deny = (why: string, reason: unknown) => denied(request, reason, by(policy, binding, why));
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
  const said = `${qualified(resource)} "${name}" is forbidden: ${message}`;
  const status = statuses[String(reason)] ?? 422;
  return new StatusError(status, String(reason), said, { ...about(resource, name), causes: [{ message }] });
}
