import type { Resource } from "../resource.ts";
import { type Group, type GroupVersion, groupsOf } from "./groups.ts";
import { subresourceOf, verbsOf } from "./verbs.ts";

/**
 * Returns what the API server says of itself: `/version`, `/api`, `/apis`, `/apis/<group>` and the resource lists.
 * `undefined` for any other path and for a group or version that is not served. There is no aggregated document:
 * clients that ask for one, as kubectl does, read these instead.
 */
export function discover(resources: readonly Resource[], path: string): object | undefined {
  if (path === "/version" || path === "/version/") return version;
  const [root, group, groupVersion, ...rest] = path.split("/").slice(1).filter(Boolean);
  if ((root !== "api" && root !== "apis") || rest.length > 0) return undefined;
  const groups = groupsOf(resources);
  if (root === "api") {
    const core = groups.find(({ name }) => name === "");
    if (groupVersion !== undefined) return undefined;
    if (group !== undefined) return resourceList(core?.versions, group);
    return apiVersions(core);
  }
  const named = groups.filter(({ name }) => name !== "");
  if (group === undefined) return { kind: "APIGroupList", apiVersion: "v1", groups: named.map(apiGroup) };
  const found = named.find(({ name }) => name === group);
  if (groupVersion !== undefined) return resourceList(found?.versions, `${group}/${groupVersion}`);
  return found && { kind: "APIGroup", apiVersion: "v1", ...apiGroup(found) };
}

const apiVersions = (core: Group | undefined) => ({
  kind: "APIVersions",
  versions: core?.versions.map(({ version }) => version) ?? [],
  serverAddressByClientCIDRs: [],
});

function apiGroup({ name, versions }: Group) {
  const all = versions.map(({ apiVersion, version }) => ({ groupVersion: apiVersion, version }));
  return { name, versions: all, preferredVersion: all[0] };
}

function resourceList(versions: readonly GroupVersion[] | undefined, apiVersion: string): object | undefined {
  const found = versions?.find((version) => version.apiVersion === apiVersion);
  if (!found) return undefined;
  const resources = found.resources.flatMap((resource) => {
    const { plural, singular, namespaced, kind, shortNames, categories } = resource;
    const own = { name: plural, singularName: singular, namespaced, kind, verbs: verbsOf(resource) };
    const parts = (resource.subresources ?? []).map((name) => {
      const { verbs, kind: other } = subresourceOf(name);
      return { name: `${plural}/${name}`, singularName: "", namespaced, ...(other ?? { kind }), verbs };
    });
    return [{ ...own, ...(shortNames ? { shortNames } : {}), ...(categories ? { categories } : {}) }, ...parts];
  });
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion: apiVersion, resources };
}

/**
 * What the laptop edition says it is at `/version`: the release whose behaviour it follows, marked as no build of it.
 */
export const version = {
  major: "1",
  minor: "36",
  gitVersion: "v1.36.3+holdfast",
  platform: "holdfast",
};
