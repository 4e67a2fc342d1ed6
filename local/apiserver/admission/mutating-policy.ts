import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { asServed, asStored } from "../kinds/stored-version.ts";
import { strategyOf } from "../kinds/strategies.ts";
import { copyOf } from "../patch/copy.ts";
import { mutate } from "../policy/mutate.ts";
import type { Call } from "../request/call.ts";
import type { State } from "../state.ts";

const group = "admissionregistration.k8s.io";

/**
 * MutatingAdmissionPolicy: what the cluster's policies make of an object, which is defaulted again when they change it.
 */
export function applyPolicies(
  { store }: State,
  call: Call,
  object: KubernetesObject,
  live?: KubernetesObject,
): KubernetesObject {
  const { resource, namespace, subresource, user, dryRun } = call;
  // Policies cannot be made to lock the policies out.
  if (resource.apiVersion.startsWith(`${group}/`)) return object;
  const bindings = store.list(`${group}/mutatingadmissionpolicybindings`, "") ?? [];
  const policies = store.list(`${group}/mutatingadmissionpolicies`, "") ?? [];
  if (bindings.length === 0 || policies.length === 0) return object;
  const served = asServed(resource, object);
  const request = {
    operation: live ? "UPDATE" : "CREATE",
    resource,
    subresource,
    name: object.metadata.name ?? "",
    namespace,
    namespaceObject: namespace ? store.get("/namespaces", namespace)?.object : undefined,
    object: served,
    oldObject: live && asServed(resource, live),
    user: { username: user.user, groups: user.groups },
    dryRun,
    fieldManager: call.query.get("fieldManager") ?? undefined,
  } as const;
  const mutated = mutate(
    policies.map((policy) => policy.object),
    bindings.map((binding) => binding.object),
    request,
  );
  if (mutated === served) return object;
  const result = asStored(resource, copyOf(mutated) as KubernetesObject);
  strategyOf(resource).defaults?.(result);
  return result;
}
