import type { Client } from "../../shared/kubernetes/client.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { ClusterRoleBinding, ours } from "../uninstall/installed.ts";
import type { Check } from "./finding.ts";

interface Binding extends KubernetesObject {
  readonly subjects?: readonly { readonly kind: string; readonly namespace?: string }[];
}

/**
 * Whether the rights of Holdfast belong to accounts in another namespace than the one to install in: the bindings of
 * all installations have the same names, so that the last apply takes the rights of the others. @throws ApiError
 */
export async function otherInstallation(client: Client, namespace: string): Promise<readonly Check[]> {
  const homes = new Set<string>();
  for await (const { subjects = [] } of client.list<Binding>(ClusterRoleBinding, { labelSelector: ours }))
    for (const { kind, namespace: home } of subjects) if (kind === "ServiceAccount" && home) homes.add(home);
  homes.delete(namespace);
  return [...homes].map((home) => ({
    what: `Holdfast is installed in namespace ${home}: its ClusterRoleBindings name accounts there.`,
    why:
      "A cluster has room for one installation. Both have the same ClusterRoleBindings, so that the one that is " +
      "applied last takes all rights from the functions of the other.",
    todo:
      `Keep one. If it is the one in ${home}, give --install-namespace ${home}. If it is the one in ${namespace}, ` +
      `delete the functions in ${home} first, and then apply the one in ${namespace}.`,
  }));
}
