import { type Fields, isFields } from "../../../shared/kubernetes/fields.ts";
import { fieldsAt, objectsIn, specOf, statusOf } from "../kinds/fields.ts";
import type { PrinterColumn, Resource } from "../resource.ts";
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
      const printerColumns = objectsIn(version, "additionalPrinterColumns") as unknown as PrinterColumn[];
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

/** What is wrong with a CustomResourceDefinition, as far as its names, its versions and the roots of its schemas go. */
export function definitionProblems(definition: Fields): Cause[] {
  const spec = specOf(definition);
  const { name } = fieldsAt(definition, "metadata");
  const causes: Cause[] = [];
  if (name !== `${fieldsAt(spec, "names").plural}.${spec.group}`) {
    causes.push(invalidValue("metadata.name", name, 'must be spec.names.plural+"."+spec.group'));
  }
  const versions = objectsIn(spec, "versions");
  if (new Set(versions.map((version) => version.name)).size < versions.length) {
    causes.push(invalidValue("spec.versions", versions, "must contain unique version names"));
  }
  if (versions.filter(({ storage }) => storage === true).length !== 1) {
    causes.push(invalidValue("spec.versions", versions, "must have exactly one version marked as storage version"));
  }
  for (const [index, version] of versions.entries()) {
    const schema = fieldsAt(version, "schema").openAPIV3Schema;
    if (isFields(schema)) causes.push(...schemaProblems(schema));
    else causes.push(requiredValue(`spec.versions[${index}].schema.openAPIV3Schema`));
  }
  return causes;
}

function schemaProblems(schema: Fields): Cause[] {
  const field = "spec.validation.openAPIV3Schema";
  if (!schema.type) return [requiredValue(`${field}.type`, "must not be empty at the root")];
  if (schema.type !== "object") return [invalidValue(`${field}.type`, schema.type, "must be object at the root")];
  return untyped(schema, field);
}

/** A structural schema says the type of everything that it specifies. */
function untyped(schema: Fields, field: string): Cause[] {
  const parts: [string, unknown, string][] = [
    ...Object.entries(fieldsAt(schema, "properties")).map(([name, part]): [string, unknown, string] => [
      `${field}.properties[${name}]`,
      part,
      "must not be empty for specified object fields",
    ]),
    [`${field}.items`, schema.items, "must not be empty for specified array items"],
    [`${field}.additionalProperties`, schema.additionalProperties, "must not be empty for specified object fields"],
  ];
  return parts.flatMap(([path, part, why]) => {
    if (!isFields(part)) return [];
    const typed = part.type || part["x-kubernetes-int-or-string"] || part["x-kubernetes-preserve-unknown-fields"];
    return [...(typed ? [] : [requiredValue(`${path}.type`, why)]), ...untyped(part, path)];
  });
}

/**
 * The status of a CustomResourceDefinition beside the `others`: its names are accepted unless another of its group has
 * them, and then it is established. Conditions that stay keep their time. `now` is RFC 3339.
 */
export function definitionStatus(definition: Fields, others: readonly Fields[], now: string): Fields {
  const [spec, status] = [specOf(definition), statusOf(definition)];
  const names = fieldsAt(spec, "names");
  const taken = others
    .filter((other) => specOf(other).group === spec.group)
    .map((other) => fieldsAt(statusOf(other), "acceptedNames"));
  const clash = conflicts(names, taken);
  const accepted = clash
    ? { type: "NamesAccepted", status: "False", ...clash }
    : { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" };
  const established = clash
    ? { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" }
    : {
        type: "Established",
        status: "True",
        reason: "InitialNamesAccepted",
        message: "the initial names have been accepted",
      };
  const before = objectsIn(status, "conditions");
  const wasEstablished = before.find(({ type, status }) => type === "Established" && status === "True");
  const conditions = [accepted, wasEstablished ?? established].map((condition) => {
    const old = before.find(({ type, status }) => type === condition.type && status === condition.status);
    return { lastTransitionTime: old?.lastTransitionTime ?? now, ...condition };
  });
  const stored = objectsIn(spec, "versions").find(({ storage }) => storage === true)?.name;
  const versions = Array.isArray(status.storedVersions) ? status.storedVersions : [];
  return {
    ...status,
    acceptedNames: clash ? { kind: "", plural: "" } : names,
    conditions,
    storedVersions: [...new Set([...versions, stored])].filter((version) => version !== undefined),
  };
}

function conflicts(names: Fields, taken: readonly Fields[]): { reason: string; message: string } | undefined {
  const plurals = new Set(taken.flatMap((other) => [other.plural, other.singular, ...list(other.shortNames)]));
  const kinds = new Set(taken.flatMap((other) => [other.kind, other.listKind]));
  const wanted: [string, unknown[], Set<unknown>][] = [
    ["Plural", [names.plural], plurals],
    ["Singular", [names.singular], plurals],
    ["ShortNames", list(names.shortNames), plurals],
    ["Kind", [names.kind], kinds],
    ["ListKind", [names.listKind], kinds],
  ];
  const found = wanted.flatMap(([what, own, used]) =>
    own.filter((name) => name && used.has(name)).map((name) => ({ what, name })),
  );
  const last = found.at(-1);
  return last && { reason: `${last.what}Conflict`, message: `${JSON.stringify(last.name)} is already in use` };
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
