import type { ApiRequest } from "../../../shared/kubernetes/transport.ts";
import { badRequest, methodNotAllowed, notServed } from "../failure.ts";
import type { Resource } from "../resource.ts";
import type { State } from "../state.ts";
import type { ResourcePath } from "./parse.ts";

export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

/** A request for a resource that is served, with the verb as roles name it. */
export interface Call {
  readonly verb: Verb;
  readonly resource: Resource;
  /** Absent for cluster-scoped resources and for lists over all namespaces. */
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
  readonly query: URLSearchParams;
  readonly request: ApiRequest;
}

/** A call that names one object. */
export type ObjectCall = Call & { readonly name: string };

/** Finds out what a request wants. Throws 404 where nothing is served and 405 where the method makes no sense. */
export function callOf(state: State, path: ResourcePath, query: URLSearchParams, request: ApiRequest): Call {
  const resource = state.resources.find(path.group, path.version, path.plural);
  if (!resource || (path.namespace && !resource.namespaced)) throw notServed();
  if (path.subresource && !resource.subresources?.includes(path.subresource)) throw notServed();
  if (resource.namespaced && path.name && !path.namespace) throw notServed();
  const { namespace, name, subresource } = path;
  const verb = verbOf(request.method, path, query);
  if (verb === "create" && resource.namespaced && !namespace) throw methodNotAllowed();
  return {
    verb,
    resource,
    ...(namespace ? { namespace } : {}),
    ...(name ? { name } : {}),
    ...(subresource ? { subresource } : {}),
    query,
    request,
  };
}

function verbOf(method: ApiRequest["method"], { name, subresource }: ResourcePath, query: URLSearchParams): Verb {
  if (name === undefined) {
    if (method === "GET") return isTrue(query.get("watch")) ? "watch" : "list";
    if (method === "POST") return "create";
    if (method === "DELETE") return "deletecollection";
    throw methodNotAllowed();
  }
  if (method === "GET") return "get";
  if (method === "PUT") return "update";
  if (method === "PATCH") return "patch";
  if (method === "DELETE" && !subresource) return "delete";
  if (method === "POST" && subresource) return "create";
  throw methodNotAllowed();
}

/** A boolean of the query, as Go reads it: present without a value is true. */
export function isTrue(value: string | null): boolean {
  if (value === null) return false;
  if (value === "" || value === "1" || value.toLowerCase() === "true") return true;
  if (value === "0" || value.toLowerCase() === "false") return false;
  throw badRequest(`strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`);
}

/** The key of the call's object in the store. */
export function keyOf(resource: Resource, namespace: string | undefined, name: string): string {
  return resource.namespaced ? `${namespace}/${name}` : name;
}
