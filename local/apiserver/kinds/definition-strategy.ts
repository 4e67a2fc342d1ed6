import { definitionProblems } from "../custom/definition.ts";
import { invalidValue } from "../validation/status-cause.ts";
import { objectIn, objectsIn, setMissing, specOf, statusOf } from "./fields.ts";
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

  markDeleting(definition, now) {
    if (definition.metadata.deletionTimestamp) return;
    definition.metadata.deletionTimestamp = now;
    setTerminating(definition, now, {
      reason: "InstanceDeletionPending",
      message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
    });
  },
};

/** Says in the status of a definition how far its end has come, in place. */
export function setTerminating(
  definition: Record<string, unknown>,
  now: string,
  why: { reason: string; message: string },
): void {
  const others = objectsIn(statusOf(definition), "conditions").filter(({ type }) => type !== "Terminating");
  const condition = { type: "Terminating", status: "True", lastTransitionTime: now, ...why };
  objectIn(definition, "status").conditions = [...others, condition];
}
