import type { Fields } from "../../../shared/kubernetes/fields.ts";
import { groupOf } from "../../../shared/kubernetes/kind.ts";
import type { Resource } from "../resource.ts";

/** A write or a deletion that is about to be carried out. */
export interface AdmissionRequest {
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly resource: Resource;
  readonly subresource?: string | undefined;
  /** Empty while the name is still to be generated. */
  readonly name: string;
  /** Absent for cluster-scoped resources. */
  readonly namespace?: string | undefined;
  /** The Namespace that the object is in. */
  readonly namespaceObject?: Fields | undefined;
  /** Absent on delete. */
  readonly object?: Fields;
  /** What is stored; absent on create. */
  readonly oldObject?: Fields | undefined;
  readonly user: { readonly username: string; readonly groups: readonly string[] };
  readonly dryRun: boolean;
  /** The object that a policy is asked with, where it has parameters. */
  readonly params?: Fields | undefined;
  /** The field manager that the request names, if it does. */
  readonly fieldManager?: string | undefined;
}

/** One that has an object, which policies may change. */
export interface WriteRequest extends AdmissionRequest {
  readonly object: Fields;
}

/** `request` as expressions see it. */
export function requestVariable(request: AdmissionRequest): Fields {
  const { resource, operation, subresource = "", name, namespace = "", user, dryRun, fieldManager } = request;
  const group = groupOf(resource);
  const version = resource.apiVersion.split("/").at(-1) ?? "";
  const kind = { group, version, kind: resource.kind };
  const served = { group, version, resource: resource.plural };
  return {
    kind,
    resource: served,
    subResource: subresource,
    requestKind: kind,
    requestResource: served,
    requestSubResource: subresource,
    name,
    namespace,
    operation,
    userInfo: { username: user.username, groups: user.groups },
    dryRun,
    options: fieldManager ? { fieldManager } : {},
  };
}
