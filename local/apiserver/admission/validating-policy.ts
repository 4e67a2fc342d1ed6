import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { asServed } from "../kinds/stored-version.ts";
import { enforce } from "../policy/enforce.ts";
import type { Call } from "../request/call.ts";
import type { State } from "../state.ts";

const group = "admissionregistration.k8s.io";

/**
 * ValidatingAdmissionPolicy: throws what the cluster's policies refuse. `object` is absent on delete, `live` on create.
 */
export function holdToPolicies(
  { store }: State,
  call: Call,
  object: KubernetesObject | undefined,
  live?: KubernetesObject,
): void {
  const { resource, namespace, subresource, user, dryRun } = call;
  // Policies cannot be made to lock the policies out.
  if (resource.apiVersion.startsWith(`${group}/`)) return;
  const policies = store.list(`${group}/validatingadmissionpolicies`, "") ?? [];
  if (policies.length === 0) return;
  const bindings = store.list(`${group}/validatingadmissionpolicybindings`, "") ?? [];
  enforce(
    policies.map((policy) => policy.object),
    bindings.map((binding) => binding.object),
    {
      operation: object ? (live ? "UPDATE" : "CREATE") : "DELETE",
      resource,
      subresource,
      name: (object ?? live)?.metadata.name ?? "",
      namespace,
      namespaceObject: namespace ? store.get("/namespaces", namespace)?.object : undefined,
      ...(object ? { object: asServed(resource, object) } : {}),
      oldObject: live && asServed(resource, live),
      user: { username: user.user, groups: user.groups },
      dryRun,
      fieldManager: call.query.get("fieldManager") ?? undefined,
    },
  );
}
