import type { ApiRequest } from "../../../shared/kubernetes/transport.ts";
import { managerName } from "../apply/track.ts";
import type { Identity } from "../auth/identity.ts";
import { subresourceOf, verbsOf } from "../discovery/verbs.ts";
import { methodNotAllowed, notImplemented, notServed } from "../failure.ts";
import type { Resource } from "../resource.ts";
import type { State } from "../state.ts";
import type { ResourcePath } from "./parse.ts";
import { type WriteOptions, writeOptions } from "./write-options.ts";

/** The verbs of roles. */
export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

/** A request for a resource that is served. */
export interface Call {
  readonly verb: Verb;
  readonly resource: Resource;
  /** Absent for cluster-scoped resources and for lists over all namespaces. */
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
  readonly query: URLSearchParams;
  readonly request: ApiRequest;
  readonly user: Identity;
  /** Go through all of it but the storing. */
  readonly dryRun: boolean;
  readonly fieldValidation: WriteOptions["fieldValidation"];
  /** Who owns the fields that this call writes. */
  readonly manager: string;
  /** What the answer warns of. */
  readonly warnings: string[];
}

/** A call that names one object. */
export type ObjectCall = Call & { readonly name: string };

/** Finds out what a request wants. Throws 404 where nothing is served and 405 where the method makes no sense. */
export function callOf(
  state: State,
  path: ResourcePath,
  query: URLSearchParams,
  request: ApiRequest,
  user: Identity,
): Call {
  const resource = state.resources.find(path.group, path.version, path.plural);
  if (!resource || (path.namespace && !resource.namespaced)) throw notServed();
  const { namespace, name, subresource } = path;
  if (subresource && !resource.subresources?.includes(subresource)) throw refusal(resource, subresource);
  if (resource.namespaced && name && !namespace) throw notServed();
  const verb = verbOf(request.method, path, query);
  const allowed = subresource ? subresourceOf(subresource).verbs : verbsOf(resource);
  if (!allowed.includes(verb)) throw methodNotAllowed();
  if (verb === "create" && resource.namespaced && !namespace) throw methodNotAllowed();
  return {
    verb,
    resource,
    ...(namespace ? { namespace } : {}),
    ...(name ? { name } : {}),
    ...(subresource ? { subresource } : {}),
    query,
    request,
    user,
    ...writeOptions(query, optionsKind[verb] ?? "ListOptions"),
    manager: managerName(query.get("fieldManager") ?? undefined, request.headers["user-agent"]),
    warnings: [],
  };
}

const intoContainers = ["attach", "exec", "log", "portforward", "proxy"];

function refusal(resource: Resource, subresource: string): Error {
  if (resource.kind !== "Pod" || resource.custom || !intoContainers.includes(subresource)) return notServed();
  return notImplemented(`the subresource ${subresource} of pods, because no containers run here`);
}

/** The verb of a request, as roles name it. Throws 405 where the method makes no sense. */
export function verbOf(
  method: ApiRequest["method"],
  { name, subresource }: ResourcePath,
  query: URLSearchParams,
): Verb {
  if (name === undefined) {
    if (method === "GET") return isTrue(query.get("watch")) ? "watch" : "list";
    if (method === "POST") return "create";
    if (method === "DELETE") return "deletecollection";
    throw methodNotAllowed();
  }
  if (method === "GET") return "get";
  if (method === "PUT") return "update";
  if (method === "PATCH") return "patch";
  if (method === "DELETE") return "delete";
  if (subresource) return "create";
  throw methodNotAllowed();
}

const optionsKind: Partial<Record<Verb, string>> = {
  create: "CreateOptions",
  update: "UpdateOptions",
  patch: "PatchOptions",
  delete: "DeleteOptions",
  deletecollection: "DeleteOptions",
};

/** A boolean of the query: every value but `false` and `0` is true, also an empty one. */
export const isTrue = (value: string | null): boolean =>
  value !== null && value !== "0" && value.toLowerCase() !== "false";

/** The key of an object in the store. */
export function keyOf(resource: Resource, namespace: string | undefined, name: string): string {
  return resource.namespaced ? `${namespace}/${name}` : name;
}
