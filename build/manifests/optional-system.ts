import type { Kind } from "../../shared/kubernetes/kind.ts";
import { slug } from "../../shared/rule.ts";
import type { SystemDeclaration } from "../../shared/system-declaration.ts";
import { furtherAccessOf, type Grant } from "./access.ts";
import { customResourceDefinition } from "./crd/definition.ts";
import type { Declared } from "./declared.ts";
import type { Patch } from "./kustomization.ts";
import { deadLetterFunction, labelsOf } from "./metadata.ts";
import { furtherSources, watchedKinds } from "./sources.ts";
import { sweepFunction } from "./sweep.ts";
import { toFile, toYaml } from "./yaml.ts";

/**
 * What a system that is not installed by default brings besides its functions: its kinds, sources for what the default
 * does not watch, and what the platform's functions may do with its objects. Returns what its component changes of the
 * default.
 */
export function addOptionalSystem(
  files: Map<string, string>,
  { name, definitions = [] }: SystemDeclaration,
  functions: readonly Declared[],
  byDefault: readonly Declared[],
): readonly Patch[] {
  const origin = `functions/${name}/*`;
  const add = (path: string, objects: readonly object[]) => {
    if (objects.length > 0)
      files.set(
        path,
        toFile(
          origin,
          objects.map((object) => toYaml(object)),
        ),
      );
  };
  add(`knative/access/${name}/definitions.yaml`, definitions.map(customResourceDefinition));
  const { objects, patches } = furtherSources(name, watchedKinds(functions), watchedKinds(byDefault));
  add(`knative/${name}/source.yaml`, objects);
  add(`knative/access/${name}/platform.yaml`, [
    ...platformAccess(sweepFunction, name, grantsOf(sweptBy(functions), sweptBy(byDefault), "list")),
    ...platformAccess(deadLetterFunction, name, grantsOf(wokenBy(functions), wokenBy(byDefault), "get")),
  ]);
  return patches;
}

const keyOf = ({ apiVersion, kind }: Kind) => `${apiVersion}/${kind}`;

const sweptBy = (functions: readonly Declared[]) =>
  functions.flatMap(({ sweep = [] }) => sweep.map(({ kind }) => kind));

const wokenBy = (functions: readonly Declared[]) =>
  functions.flatMap(({ triggers = [] }) => triggers.map(({ kind }) => kind));

function grantsOf(kinds: readonly Kind[], granted: readonly Kind[], verb: "get" | "list"): readonly Grant[] {
  const known = new Set(granted.map(keyOf));
  const wanted = new Map(kinds.filter((kind) => !known.has(keyOf(kind))).map((kind) => [keyOf(kind), kind]));
  return [...wanted.values()].map((resource) => ({ resource, verbs: [verb] }));
}

function platformAccess(functionName: string, system: string, grants: readonly Grant[]): readonly object[] {
  if (grants.length === 0) return [];
  return furtherAccessOf({ name: slug(functionName), labels: labelsOf(functionName) }, system, grants);
}
