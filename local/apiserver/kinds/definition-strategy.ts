import { definitionProblems } from "../custom/definition.ts";
import { invalidValue } from "../validation/status-cause.ts";
import { objectIn, objectsIn, setMissing, specOf } from "./fields.ts";
import type { Strategy } from "./strategy.ts";

/** CustomResourceDefinitions: served once their names are accepted, and gone only after everything that they define. */
export const definitionStrategy: Strategy = {
  generation: true,
  versionRequired: true,
  answersDeleted: true,
  deletionFinalizer: "customresourcecleanup.apiextensions.k8s.io",

  defaults(definition) {
    const spec = objectIn(definition, "spec");
    const names = objectIn(spec, "names");
    setMissing(names, { singular: String(names.kind ?? "").toLowerCase(), listKind: `${names.kind}List` });
    setMissing(spec, { conversion: { strategy: "None" } });
  },

  prepareCreate(definition) {
    const stored = objectsIn(specOf(definition), "versions").filter(({ storage }) => storage === true);
    const storedVersions = stored.map(({ name }) => name);
    definition.status = { acceptedNames: { kind: "", plural: "" }, conditions: null, storedVersions };
  },

  validate(definition, live) {
    const causes = definitionProblems(definition);
    const { strategy } = objectIn(objectIn(definition, "spec"), "conversion");
    if (strategy !== "None") {
      causes.push(invalidValue("spec.conversion.strategy", strategy, "the laptop edition converts by no webhook"));
    }
    if (!live) return causes;
    for (const field of ["group", "scope"]) {
      const value = specOf(definition)[field];
      if (value !== specOf(live)[field]) causes.push(invalidValue(`spec.${field}`, value, "field is immutable"));
    }
    return causes;
  },

  markDeleting({ metadata }, now) {
    metadata.deletionTimestamp ??= now;
  },
};
