import type { Resource } from "../resource.ts";

const all = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** What can be done with a resource. Reviews are asked and not kept; namespaces go one by one. */
export function verbsOf(resource: Resource): readonly string[] {
  if (/Review$/.test(resource.kind)) return ["create"];
  return resource.kind === "Namespace" ? all.filter((verb) => verb !== "deletecollection") : all;
}

interface Subresource {
  readonly verbs: readonly string[];
  /** What it takes and gives, where that is not the resource's own kind. */
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
}

const post = ["create"];
const part: Subresource = { verbs: ["get", "patch", "update"] };
const subresources: Readonly<Record<string, Subresource>> = {
  binding: { verbs: post, kind: { group: "", version: "v1", kind: "Binding" } },
  eviction: { verbs: post, kind: { group: "policy", version: "v1", kind: "Eviction" } },
  token: { verbs: post, kind: { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" } },
  scale: { ...part, kind: { group: "autoscaling", version: "v1", kind: "Scale" } },
  finalize: { verbs: ["update"] },
};

/** What can be done with a subresource, and with which kind. */
export const subresourceOf = (name: string): Subresource => subresources[name] ?? part;
