import { isDeepStrictEqual } from "node:util";
import { groupOf } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject, OwnerReference } from "../../../shared/kubernetes/object.ts";
import { attributesOf } from "../auth/attributes.ts";
import { isAllowed } from "../auth/authorize.ts";
import { forbidden } from "../failure.ts";
import type { Call } from "../request/call.ts";
import type { State } from "../state.ts";

/**
 * OwnerReferencesPermissionEnforcement, off by default upstream and on in OpenShift: who changes the owners of an
 * object must be allowed to delete it, and who makes a reference block the deletion of an owner must be allowed to
 * update that owner's finalizers. Throws 403.
 */
export function checkOwnerPermissions(state: State, call: Call, next: KubernetesObject, live?: KubernetesObject): void {
  if (!state.switches.ownerReferencesPermissionEnforcement || call.subresource === "status") return;
  const owners = next.metadata.ownerReferences ?? [];
  const before = live?.metadata.ownerReferences ?? [];
  if (isDeepStrictEqual(owners, before)) return;
  if (live) checkDeletePermission(state, call);
  for (const owner of owners) {
    if (owner.blockOwnerDeletion && !before.some((known) => known.uid === owner.uid && known.blockOwnerDeletion)) {
      checkFinalizerPermission(state, call, next, owner);
    }
  }
}

function checkDeletePermission(state: State, call: Call): void {
  const { resource, name = "", namespace } = call;
  const wanted = attributesOf("delete", {
    group: groupOf(resource),
    plural: resource.plural,
    name,
    ...(namespace ? { namespace } : {}),
  });
  if (isAllowed(state, call.user, wanted)) return;
  throw forbidden(resource, name, "cannot set an ownerRef on a resource you can't delete: , <nil>");
}

function checkFinalizerPermission(
  state: State,
  { resource, namespace, user }: Call,
  { metadata }: KubernetesObject,
  owner: OwnerReference,
): void {
  const known = state.resources
    .all()
    .find(({ apiVersion, kind }) => apiVersion === owner.apiVersion && kind === owner.kind);
  const refuse = (why: string) => forbidden(resource, metadata.name, why);
  if (!known) throw refuse(`cannot set blockOwnerDeletion: there is no ${owner.kind} of ${owner.apiVersion}`);
  const scope = known.namespaced && namespace ? { namespace } : {};
  const wanted = {
    verb: "update",
    group: groupOf(known),
    resource: `${known.plural}/finalizers`,
    name: owner.name,
    ...scope,
  };
  if (!isAllowed(state, user, wanted)) {
    throw refuse(
      "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>",
    );
  }
}
