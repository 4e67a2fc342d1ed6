import type { Fields } from "../../../shared/kubernetes/fields.ts";
import { objectIn, objectsIn, setMissing, specOf } from "./fields.ts";
import type { Strategy } from "./strategy.ts";

/** Admission policies of both kinds. What they say is read when it is used. */
export const admissionPolicyStrategy: Strategy = {
  generation: true,
  versionRequired: true,
  defaults(policy) {
    const spec = objectIn(policy, "spec");
    setMissing(spec, { failurePolicy: "Fail" });
    defaultMatch(objectIn(spec, "matchConstraints"));
  },
};

/** Bindings of admission policies of both kinds. */
export const admissionPolicyBindingStrategy: Strategy = {
  generation: true,
  versionRequired: true,
  defaults(binding) {
    if (specOf(binding).matchResources) defaultMatch(objectIn(objectIn(binding, "spec"), "matchResources"));
  },
};

function defaultMatch(match: Fields): void {
  setMissing(match, { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} });
  for (const rule of objectsIn(match, "resourceRules")) setMissing(rule, { scope: "*" });
}
