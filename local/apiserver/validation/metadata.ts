import type { ObjectMeta, OwnerReference } from "../../../shared/kubernetes/object.ts";
import { labelValueProblems, qualifiedNameProblems } from "./names.ts";
import { type Cause, forbiddenValue, invalidValue, requiredValue, tooLongValue } from "./status-cause.ts";

/** How the names of a kind must look. */
export type NameRule = (name: string) => string[];

/** Kubernetes' own kinds take no finalizers of other groups without a slash in them; custom resources do. */
export type Origin = "builtin" | "custom";

/** What is wrong with the metadata of a new object. */
export function checkNewMetadata(metadata: ObjectMeta, nameRule: NameRule, origin: Origin): Cause[] {
  const { name, generateName } = metadata;
  const causes: Cause[] = [];
  if (typeof generateName === "string" && generateName) {
    // A prefix may end in what a name may not.
    const stem = generateName.endsWith("-") ? `${generateName.slice(0, -1)}a` : generateName;
    causes.push(...nameRule(stem).map((why) => invalidValue("metadata.generateName", generateName, why)));
  }
  if (!name) causes.push(requiredValue("metadata.name", "name or generateName is required"));
  else causes.push(...nameRule(name).map((why) => invalidValue("metadata.name", name, why)));
  return [...causes, ...checkCommon(metadata, origin)];
}

/** What is wrong with the change of an object's metadata. */
export function checkChangedMetadata(next: ObjectMeta, live: ObjectMeta, origin: Origin): Cause[] {
  const causes: Cause[] = [];
  if (live.deletionTimestamp) {
    const added = (next.finalizers ?? []).filter((finalizer) => !live.finalizers?.includes(finalizer));
    if (added.length > 0) {
      const list = [...new Set(added)].sort().map((finalizer) => JSON.stringify(finalizer));
      const why =
        `no new finalizers can be added if the object is being deleted, found new finalizers ` +
        `[]string{${list.join(", ")}}`;
      causes.push(forbiddenValue("metadata.finalizers", why));
    }
  }
  for (const field of ["uid", "deletionTimestamp", "deletionGracePeriodSeconds"] as const) {
    if (next[field] !== live[field]) {
      causes.push(invalidValue(`metadata.${field}`, next[field] ?? null, "field is immutable"));
    }
  }
  return [...causes, ...checkCommon(next, origin)];
}

function checkCommon({ labels, annotations, ownerReferences, finalizers }: ObjectMeta, origin: Origin): Cause[] {
  return [
    ...checkLabels(labels ?? {}),
    ...checkAnnotations(annotations ?? {}),
    ...checkOwners(ownerReferences ?? []),
    ...checkFinalizers(finalizers ?? [], origin),
  ];
}

function checkLabels(labels: Record<string, string>): Cause[] {
  const field = "metadata.labels";
  return Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedNameProblems(key).map((why) => invalidValue(field, key, why)),
    ...labelValueProblems(value).map((why) => invalidValue(field, value, why)),
  ]);
}

const annotationLimit = 256 * 1024;

function checkAnnotations(annotations: Record<string, string>): Cause[] {
  const field = "metadata.annotations";
  const causes = Object.keys(annotations).flatMap((key) =>
    // Annotation keys may have capitals in their prefix.
    qualifiedNameProblems(key.toLowerCase()).map((why) => invalidValue(field, key, why)),
  );
  const size = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  return size > annotationLimit ? [...causes, tooLongValue(field, annotationLimit)] : causes;
}

const standardFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

function checkFinalizers(finalizers: readonly string[], origin: Origin): Cause[] {
  const field = "metadata.finalizers";
  return finalizers.flatMap((finalizer, index) => {
    const problems = qualifiedNameProblems(finalizer).map((why) => invalidValue(field, finalizer, why));
    if (origin === "custom" || finalizer.includes("/") || standardFinalizers.has(finalizer)) return problems;
    const why = "name is neither a standard finalizer name nor is it fully qualified";
    return [...problems, invalidValue(`${field}[${index}]`, finalizer, why)];
  });
}

function checkOwners(owners: readonly OwnerReference[]): Cause[] {
  const field = "metadata.ownerReferences";
  const causes: Cause[] = [];
  let controller: OwnerReference | undefined;
  for (const owner of owners) {
    for (const part of ["apiVersion", "kind", "name", "uid"] as const) {
      if (!owner[part]) causes.push(invalidValue(`${field}.${part}`, owner[part] ?? "", "must not be empty"));
    }
    if (!owner.controller) continue;
    if (controller) {
      const why =
        `Only one reference can have Controller set to true. Found "true" in references for ` +
        `${controller.kind}/${controller.name} and ${owner.kind}/${owner.name}`;
      causes.push(invalidValue(field, owners, why));
    }
    controller = owner;
  }
  return causes;
}
