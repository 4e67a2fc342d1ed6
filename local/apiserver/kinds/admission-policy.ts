import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { requiredValue } from "../validation/status-cause.ts";
import { fieldsAt, objectIn, objectsIn, setMissing, specOf } from "./fields.ts";
import type { Strategy } from "./strategy.ts";

const policyDefaults: Pick<Strategy, "generation" | "versionRequired" | "defaults"> = {
  generation: true,
  versionRequired: true,
  defaults(policy) {
    const spec = objectIn(policy, "spec");
    setMissing(spec, { failurePolicy: "Fail" });
    const match = objectIn(spec, "matchConstraints");
    setMissing(match, { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} });
    for (const rule of objectsIn(match, "resourceRules")) setMissing(rule, { scope: "*" });
  },
};

const withoutRules = (policy: KubernetesObject) =>
  objectsIn(fieldsAt(specOf(policy), "matchConstraints"), "resourceRules").length > 0
    ? []
    : [requiredValue("spec.matchConstraints.resourceRules")];

/** MutatingAdmissionPolicies. Their expressions are not compiled before they are used. */
export const admissionPolicyStrategy: Strategy = {
  ...policyDefaults,
  validate: (policy) => [
    ...(specOf(policy).reinvocationPolicy ? [] : [requiredValue("spec.reinvocationPolicy")]),
    ...(objectsIn(specOf(policy), "mutations").length > 0 ? [] : [requiredValue("spec.mutations")]),
    ...withoutRules(policy),
  ],
};

/** ValidatingAdmissionPolicies, neither. */
export const validatingPolicyStrategy: Strategy = {
  ...policyDefaults,
  validate: (policy) => [
    ...(objectsIn(specOf(policy), "validations").length > 0 ? [] : [requiredValue("spec.validations")]),
    ...withoutRules(policy),
  ],
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

/** ValidatingAdmissionPolicyBindings. */
export const validatingPolicyBindingStrategy: Strategy = {
  ...admissionPolicyBindingStrategy,
  validate: (binding) => [
    ...(specOf(binding).policyName ? [] : [requiredValue("spec.policyName")]),
    ...(specOf(binding).validationActions ? [] : [requiredValue("spec.validationActions")]),
  ],
};
