import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import { type Cause, requiredValue } from "../validation/status-cause.ts";
import { fieldsAt, objectIn, objectsIn, setMissing, specOf } from "./fields.ts";
import type { Strategy } from "./strategy.ts";

/** ValidatingAdmissionPolicies. Expressions are not compiled before they are used. */
export const validatingPolicyStrategy = policyStrategy((spec) => {
  const validations = objectsIn(spec, "validations");
  const why = "validations or auditAnnotations must contain at least one item";
  const isEmpty = validations.length === 0 && objectsIn(spec, "auditAnnotations").length === 0;
  return [
    ...(isEmpty ? ["validations", "auditAnnotations"].map((field) => requiredValue(`spec.${field}`, why)) : []),
    ...withoutField(validations, "spec.validations", "expression", "expression is not specified"),
  ];
});

/** MutatingAdmissionPolicies, neither. */
export const mutatingPolicyStrategy = policyStrategy((spec) => {
  const mutations = objectsIn(spec, "mutations");
  return [
    ...(mutations.length > 0 ? [] : [requiredValue("spec.mutations", "mutations must contain at least one item")]),
    ...withoutField(mutations, "spec.mutations", "patchType"),
    ...(spec.reinvocationPolicy ? [] : [requiredValue("spec.reinvocationPolicy")]),
  ];
});

/** ValidatingAdmissionPolicyBindings. */
export const validatingPolicyBindingStrategy = bindingStrategy(({ validationActions }) =>
  Array.isArray(validationActions) && validationActions.length > 0
    ? []
    : [requiredValue("spec.validationActions", "at least one validation action is required")],
);

/** MutatingAdmissionPolicyBindings. */
export const mutatingPolicyBindingStrategy = bindingStrategy(() => []);

type Check = (spec: Fields) => readonly Cause[];

function policyStrategy(check: Check): Strategy {
  return {
    generation: true,
    versionRequired: true,
    defaults(policy) {
      const spec = objectIn(policy, "spec");
      setMissing(spec, { failurePolicy: "Fail" });
      defaultMatch(spec, "matchConstraints");
    },
    validate: (policy) => [...checkMatch(specOf(policy)), ...check(specOf(policy))],
  };
}

function bindingStrategy(check: Check): Strategy {
  return {
    generation: true,
    versionRequired: true,
    defaults: (binding) => defaultMatch(objectIn(binding, "spec"), "matchResources"),
    validate: (binding) => [
      ...(specOf(binding).policyName ? [] : [requiredValue("spec.policyName")]),
      ...check(specOf(binding)),
    ],
  };
}

function defaultMatch(spec: Fields, field: string): void {
  const match = spec[field];
  if (!isFields(match)) return;
  setMissing(match, { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} });
  for (const rule of objectsIn(match, "resourceRules")) setMissing(rule, { scope: "*" });
}

function checkMatch(spec: Fields): readonly Cause[] {
  const at = "spec.matchConstraints";
  if (!spec.matchConstraints) return [requiredValue(at)];
  const rules = objectsIn(fieldsAt(spec, "matchConstraints"), "resourceRules");
  if (rules.length === 0) return [requiredValue(`${at}.resourceRules`)];
  const fields = ["operations", "apiGroups", "apiVersions", "resources"];
  return rules.flatMap((rule, index) =>
    fields
      .filter((field) => !(rule[field] as readonly unknown[] | undefined)?.length)
      .map((field) => requiredValue(`${at}.resourceRules[${index}].${field}`)),
  );
}

const withoutField = (items: readonly Fields[], at: string, field: string, why?: string) =>
  items.flatMap((item, index) => (item[field] ? [] : [requiredValue(`${at}[${index}].${field}`, why)]));
