import type { Column } from "../../../shared/kubernetes/custom-kind.ts";
import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import { fieldsAt, objectsIn, specOf, statusOf } from "../kinds/fields.ts";
import type { Resource } from "../resource.ts";
import { type Cause, invalidValue, requiredValue } from "../validation/status-cause.ts";

/**
 * The resources that a CustomResourceDefinition defines, one for each served version; none before it is established. A
 * `scale` subresource is not served.
 */
export function resourcesOf(definition: Fields): Resource[] {
  const spec = specOf(definition);
  const names = fieldsAt(spec, "names");
  if (!isTrue(statusOf(definition), "Established")) return [];
  return objectsIn(spec, "versions")
    .filter(({ served }) => served === true)
    .map((version) => {
      const printerColumns = objectsIn(version, "additionalPrinterColumns") as unknown as Column[];
      return {
        apiVersion: `${spec.group}/${version.name}`,
        kind: String(names.kind),
        plural: String(names.plural),
        singular: String(names.singular ?? String(names.kind).toLowerCase()),
        namespaced: spec.scope === "Namespaced",
        ...words(names, "shortNames"),
        ...words(names, "categories"),
        ...(isFields(fieldsAt(version, "subresources").status) ? { subresources: ["status"] } : {}),
        custom: {
          schema: fieldsAt(version, "schema", "openAPIV3Schema"),
          ...(printerColumns.length > 0 ? { printerColumns } : {}),
        },
      };
    });
}

function words<K extends string>(names: Fields, name: K): { [key in K]?: string[] } {
  const list = names[name];
  return (Array.isArray(list) && list.length > 0 ? { [name]: list.map(String) } : {}) as { [key in K]?: string[] };
}

function isTrue(status: Fields, condition: string): boolean {
  return objectsIn(status, "conditions").some(({ type, status }) => type === condition && status === "True");
}

/** What is wrong with a CustomResourceDefinition, in its name and for want of a schema. */
export function definitionProblems(definition: Fields): Cause[] {
  const spec = specOf(definition);
  const { name } = fieldsAt(definition, "metadata");
  const causes: Cause[] = [];
  if (name !== `${fieldsAt(spec, "names").plural}.${spec.group}`) {
    causes.push(invalidValue("metadata.name", name, 'must be spec.names.plural+"."+spec.group'));
  }
  for (const [index, version] of objectsIn(spec, "versions").entries()) {
    if (isFields(fieldsAt(version, "schema").openAPIV3Schema)) continue;
    causes.push(requiredValue(`spec.versions[${index}].schema.openAPIV3Schema`));
  }
  return causes;
}

/**
 * The status of a CustomResourceDefinition: its names are accepted, and it is established. Conditions that stay keep
 * their time. `now` is RFC 3339.
 */
export function definitionStatus(definition: Fields, now: string): Fields {
  const [spec, status] = [specOf(definition), statusOf(definition)];
  const before = objectsIn(status, "conditions");
  const conditions = [
    { type: "NamesAccepted", reason: "NoConflicts", message: "no conflicts found" },
    { type: "Established", reason: "InitialNamesAccepted", message: "the initial names have been accepted" },
  ].map((condition) => {
    const old = before.find(({ type }) => type === condition.type);
    return { lastTransitionTime: old?.lastTransitionTime ?? now, ...condition, status: "True" };
  });
  const stored = objectsIn(spec, "versions").find(({ storage }) => storage === true)?.name;
  const versions = Array.isArray(status.storedVersions) ? status.storedVersions : [];
  return {
    ...status,
    acceptedNames: fieldsAt(spec, "names"),
    conditions,
    storedVersions: [...new Set([...versions, stored])].filter((version) => version !== undefined),
  };
}
