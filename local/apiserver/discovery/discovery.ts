import type { Resource } from "../resource.ts";
import { type Group, type GroupVersion, groupsOf } from "./groups.ts";
import { version } from "./server-version.ts";
import { subresourceOf, verbsOf } from "./verbs.ts";

/**
 * Returns what the API server says of itself: `/version`, `/api`, `/apis`, `/apis/<group>` and the resource lists, and
 * at `/api` and `/apis` one aggregated document (`apidiscovery.k8s.io/v2`) where the client accepts that. `undefined`
 * for any other path and for a group or version that is not served.
 */
export function discover(resources: readonly Resource[], path: string, accept: string): object | undefined {
  if (path === "/version" || path === "/version/") return version;
  const [root, group, groupVersion, ...rest] = path.split("/").slice(1).filter(Boolean);
  if ((root !== "api" && root !== "apis") || rest.length > 0) return undefined;
  const groups = groupsOf(resources);
  if (root === "api") {
    const core = groups.find(({ name }) => name === "");
    if (groupVersion !== undefined) return undefined;
    if (group !== undefined) return resourceList(core?.versions, group);
    return aggregated(accept) ? aggregate(core ? [core] : []) : apiVersions(core);
  }
  const named = groups.filter(({ name }) => name !== "");
  if (group === undefined) return aggregated(accept) ? aggregate(named) : { ...groupList, groups: named.map(apiGroup) };
  const found = named.find(({ name }) => name === group);
  if (groupVersion !== undefined) return resourceList(found?.versions, `${group}/${groupVersion}`);
  return found && { kind: "APIGroup", apiVersion: "v1", ...apiGroup(found) };
}

const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** The content type of a document of {@link discover}. Clients tell an aggregated one by nothing else. */
export const discoveryContentType = (document: object): string =>
  "kind" in document && document.kind === "APIGroupDiscoveryList" ? aggregatedType : "application/json";

const aggregated = (accept: string) => accept.replaceAll(" ", "").includes(aggregatedType);

const groupList = { kind: "APIGroupList", apiVersion: "v1" };

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

const aggregate = (groups: readonly Group[]) => ({
  kind: "APIGroupDiscoveryList",
  apiVersion: "apidiscovery.k8s.io/v2",
  metadata: {},
  items: groups.map(({ name, versions }) => ({
    metadata: name ? { name } : {},
    versions: versions.map(({ version, resources }) => ({
      version,
      resources: resources.map(aggregatedResource),
      freshness: "Current",
    })),
  })),
});

function aggregatedResource(resource: Resource) {
  const { plural, singular, namespaced, kind, shortNames, categories, subresources } = resource;
  const own = { group: "", version: "", kind };
  return {
    resource: plural,
    responseKind: own,
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs: verbsOf(resource),
    ...(shortNames ? { shortNames } : {}),
    ...(categories ? { categories } : {}),
    ...(subresources?.length ? { subresources: subresources.map((name) => aggregatedPart(name, own)) } : {}),
  };
}

function aggregatedPart(name: string, own: object) {
  const { verbs, kind } = subresourceOf(name);
  return { subresource: name, responseKind: kind ?? own, verbs };
}
