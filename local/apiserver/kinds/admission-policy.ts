import { requiredValue } from "../validation/status-cause.ts";
import { fieldsAt, objectIn, objectsIn, setMissing, specOf } from "./fields.ts";
import type { Strategy } from "./strategy.ts";

/** MutatingAdmissionPolicies. Their expressions are not compiled before they are used. */
export const admissionPolicyStrategy: Strategy = {
  generation: true,
  versionRequired: true,
  defaults(policy) {
    const spec = objectIn(policy, "spec");
    setMissing(spec, { failurePolicy: "Fail" });
    const match = objectIn(spec, "matchConstraints");
    setMissing(match, { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} });
    for (const rule of objectsIn(match, "resourceRules")) setMissing(rule, { scope: "*" });
  },
  validate(policy) {
    const spec = specOf(policy);
    return [
      ...(spec.reinvocationPolicy ? [] : [requiredValue("spec.reinvocationPolicy")]),
      ...(objectsIn(spec, "mutations").length > 0 ? [] : [requiredValue("spec.mutations")]),
      ...(objectsIn(fieldsAt(spec, "matchConstraints"), "resourceRules").length > 0
        ? []
        : [requiredValue("spec.matchConstraints.resourceRules")]),
    ];
  },
};

/** MutatingAdmissionPolicyBindings. */
export const admissionPolicyBindingStrategy: Strategy = {
  generation: true,
  versionRequired: true,
  defaults(binding) {
    const { matchResources } = specOf(binding);
    if (!matchResources) return;
    const match = objectIn(objectIn(binding, "spec"), "matchResources");
    setMissing(match, { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} });
    for (const rule of objectsIn(match, "resourceRules")) setMissing(rule, { scope: "*" });
  },
  validate: (binding) => (specOf(binding).policyName ? [] : [requiredValue("spec.policyName")]),
};
