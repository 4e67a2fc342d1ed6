import { groupOf } from "../../../shared/kubernetes/kind.ts";
import type { Resource } from "../resource.ts";

/** What is served just now: the built-in resources and those of CustomResourceDefinitions. */
export type ResourceTable = ReturnType<typeof createResourceTable>;

/** A table that begins with the built-in resources given. */
export function createResourceTable(builtin: readonly Resource[]) {
  const groups = new Set(builtin.map(groupOf));
  const custom = new Map<string, Resource[]>();
  const lookup = new Map(builtin.map((resource) => [pathKey(resource), resource]));
  return {
    find: (group: string, version: string, plural: string) => lookup.get(`${group}/${version}/${plural}`),
    /** Whether any resource of the group is served. */
    hasGroup: (group: string) =>
      groups.has(group) || [...custom.values()].flat().some((resource) => groupOf(resource) === group),
    /** Whether this very version of the resource is served already. */
    serves: (resource: Resource) => lookup.has(pathKey(resource)),
    all: () => [...builtin, ...[...custom.values()].flat()],
    /** Serves exactly these for the named definition; none stops serving it. */
    define(definition: string, resources: Resource[]) {
      for (const resource of custom.get(definition) ?? []) lookup.delete(pathKey(resource));
      custom.delete(definition);
      if (resources.length > 0) custom.set(definition, resources);
      for (const resource of resources) lookup.set(pathKey(resource), resource);
    },
  };
}

/** Where the store keeps a resource: one place for all its versions, and for events under both their groups. */
export function collectionOf(resource: Resource): string {
  const group = groupOf(resource);
  return group === "events.k8s.io" ? "/events" : `${group}/${resource.plural}`;
}

const pathKey = (resource: Resource) => {
  const { apiVersion, plural } = resource;
  return apiVersion.includes("/") ? `${apiVersion}/${plural}` : `/${apiVersion}/${plural}`;
};
