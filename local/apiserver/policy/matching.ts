import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import { groupOf } from "../../../shared/kubernetes/kind.ts";
import { type LabelSelector, type Labels, matchesLabelSelector } from "../../../shared/kubernetes/label-selector.ts";
import { fieldsAt, objectsIn, specOf } from "../kinds/fields.ts";
import { ExpressionError } from "./expression.ts";
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

/**
 * Whether a request is one that a policy's `matchConstraints` or a binding's `matchResources` speak of. `required` says
 * whether without any rule nothing matches, as in a policy, or everything, as in a binding.
 */
function matches(match: Fields, request: AdmissionRequest, required: boolean): boolean {
  const { namespaceSelector, objectSelector, matchPolicy } = match;
  const exact = matchPolicy === "Exact";
  const rules = objectsIn(match, "resourceRules");
  const named = rules.some((rule) => ruleMatches(rule, request, exact));
  if (rules.length > 0 || required ? !named : false) return false;
  if (objectsIn(match, "excludeResourceRules").some((rule) => ruleMatches(rule, request, exact))) return false;
  return namespaceSelected(namespaceSelector, request) && objectSelected(objectSelector, request);
}

/** A rule for one version of a resource speaks of its other versions too, unless it is to be taken exactly. */
function ruleMatches(rule: Fields, request: AdmissionRequest, exact: boolean): boolean {
  const { resource, subresource, operation, name } = request;
  const version = resource.apiVersion.split("/").at(-1) ?? "";
  const scope = rule.scope ?? "*";
  return (
    covers(rule.apiGroups, groupOf(resource)) &&
    (!exact || covers(rule.apiVersions, version)) &&
    covers(rule.operations, operation) &&
    (scope === "*" || (scope === "Namespaced") === resource.namespaced) &&
    list(rule.resources).some((wanted) => resourceMatches(String(wanted), resource.plural, subresource)) &&
    (list(rule.resourceNames).length === 0 || list(rule.resourceNames).includes(name))
  );
}

function resourceMatches(wanted: string, plural: string, subresource: string | undefined): boolean {
  const [resource, part] = wanted.split("/");
  if (resource !== "*" && resource !== plural) return false;
  return part === undefined ? subresource === undefined : part === "*" || part === subresource;
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const covers = (values: unknown, value: string) => list(values).includes("*") || list(values).includes(value);

/** Cluster-scoped objects are in no namespace and always selected; a Namespace is selected by its own labels. */
function namespaceSelected(selector: unknown, request: AdmissionRequest): boolean {
  const { resource, object = request.oldObject ?? {}, namespaceObject = {} } = request;
  const isNamespace = resource.kind === "Namespace" && groupOf(resource) === "";
  if (!isNamespace && !resource.namespaced) return true;
  return selects(selector, fieldsAt(isNamespace ? object : namespaceObject, "metadata", "labels"));
}

const objectSelected = (selector: unknown, { object, oldObject }: AdmissionRequest) =>
  [object, oldObject].some((one) => one && selects(selector, fieldsAt(one, "metadata", "labels")));

const selects = (selector: unknown, labels: Fields) =>
  !isFields(selector) || matchesLabelSelector(selector as LabelSelector, labels as Labels);
