import type { Client } from "../../shared/kubernetes/client.ts";
import { ConfigMap, type Kind, Namespace } from "../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { listServed } from "../../shared/uninstall/list-served.ts";

/** An object of the install. */
export interface Installed {
  readonly kind: Kind;
  readonly object: KubernetesObject;
}

/** What goes together, before what comes after it. */
export type Phase = "stamps" | "events" | "functions" | "rights" | "rest" | "namespaces";

const kind = (apiVersion: string, name: string, plural: string, namespaced = true): Kind => ({
  apiVersion,
  kind: name,
  plural,
  namespaced,
});
const admission = (name: string, plural: string) => kind("admissionregistration.k8s.io/v1", name, plural, false);
const eventing = (name: string, plural: string) => kind("eventing.knative.dev/v1", name, plural);
const sources = (name: string, plural: string) => kind("sources.knative.dev/v1", name, plural);
const rbac = (name: string, plural: string, namespaced: boolean) =>
  kind("rbac.authorization.k8s.io/v1", name, plural, namespaced);

export const ClusterRoleBinding = rbac("ClusterRoleBinding", "clusterrolebindings", false);

/** The kinds that manifests of Holdfast have objects of, in the order in which these go. */
const phases: Readonly<Record<Phase, readonly Kind[]>> = {
  // They would go on putting finalizers on objects.
  stamps: [
    admission("MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings"),
    admission("MutatingAdmissionPolicy", "mutatingadmissionpolicies"),
  ],
  events: [
    sources("ApiServerSource", "apiserversources"),
    sources("PingSource", "pingsources"),
    kind("eventing.knative.dev/v1alpha1", "EventTransform", "eventtransforms"),
    eventing("Broker", "brokers"),
    eventing("Trigger", "triggers"),
  ],
  functions: [
    kind("serving.knative.dev/v1", "Service", "services"),
    kind("apps/v1", "Deployment", "deployments"),
    kind("v1", "Service", "services"),
  ],
  // From here on nothing of Holdfast can write, even if a part of it still runs.
  rights: [
    ClusterRoleBinding,
    rbac("RoleBinding", "rolebindings", true),
    rbac("ClusterRole", "clusterroles", false),
    rbac("Role", "roles", true),
  ],
  rest: [
    admission("ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings"),
    admission("ValidatingAdmissionPolicy", "validatingadmissionpolicies"),
    kind("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies"),
    ConfigMap,
    kind("v1", "ServiceAccount", "serviceaccounts"),
  ],
  namespaces: [Namespace],
};

/** All of them: what an installation writes and an uninstall deletes. */
export const installedKinds: readonly Kind[] = Object.values(phases).flat();

/** On everything that Holdfast's manifests bring. */
export const ours = "app.kubernetes.io/part-of=holdfast";
/** On what belongs to one system. */
const systemLabel = "app.kubernetes.io/name";

/**
 * What is installed of these systems, or of all of Holdfast, by phases. What others own, as Knative owns what it makes
 * of our objects, goes with its owner and is left out.
 */
export async function findInstalled(
  client: Client,
  systems: readonly string[],
): Promise<Readonly<Record<Phase, readonly Installed[]>>> {
  const labelSelector = systems.length > 0 ? `${ours},${systemLabel} in (${systems.join(",")})` : ours;
  const find = async (kinds: readonly Kind[]) => {
    const found: Installed[] = [];
    for (const kind of kinds)
      for await (const object of listServed<KubernetesObject>(client, kind, { labelSelector }))
        if (!object.metadata.ownerReferences?.length) found.push({ kind, object });
    return found;
  };
  return {
    stamps: await find(phases.stamps),
    events: await find(phases.events),
    functions: await find(phases.functions),
    rights: await find(phases.rights),
    rest: await find(phases.rest),
    namespaces: await find(phases.namespaces),
  };
}
