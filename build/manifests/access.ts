import type { Permission } from "../../shared/declaration.ts";
import { groupOf } from "../../shared/kubernetes/kind.ts";
import { clusterWide, namespace } from "./metadata.ts";

/** Who is granted something. */
interface Identity {
  /** The ServiceAccount's name. */
  readonly name: string;
  readonly labels: Record<string, string>;
}

/** What is granted. A source may watch, which no function may. */
export type Grant = Omit<Permission, "verbs"> & { readonly verbs: readonly (Permission["verbs"][number] | "watch")[] };

const group = "rbac.authorization.k8s.io";

/**
 * A ServiceAccount and roles with exactly these grants, bound to it: a ClusterRole, and a Role for what is granted in
 * the function's own namespace only.
 */
export function accessOf({ name, labels }: Identity, grants: readonly Grant[]): readonly object[] {
  const everywhere = grants.filter(({ ownNamespace }) => !ownNamespace);
  const here = grants.filter(({ ownNamespace }) => ownNamespace);
  const inCluster = { name: clusterWide(name), labels };
  const inNamespace = { name, namespace, labels };
  return [
    // The token is asked for here, because in a Service Knative takes only its refusal.
    { apiVersion: "v1", kind: "ServiceAccount", metadata: inNamespace, automountServiceAccountToken: true },
    ...(everywhere.length > 0 ? bind("ClusterRole", inCluster, everywhere, name) : []),
    ...(here.length > 0 ? bind("Role", inNamespace, here, name) : []),
  ];
}

/**
 * What an overlay grants to an account that is there: in the whole cluster, or in the function's own namespace only.
 */
export function furtherAccessOf({ name, labels }: Identity, overlay: string, grants: readonly Grant[]) {
  const further = `${name}-${overlay}`;
  const everywhere = grants.filter(({ ownNamespace }) => !ownNamespace);
  const here = grants.filter(({ ownNamespace }) => ownNamespace);
  return [
    ...(everywhere.length > 0 ? bind("ClusterRole", { name: clusterWide(further), labels }, everywhere, name) : []),
    ...(here.length > 0 ? bind("Role", { name: further, namespace, labels }, here, name) : []),
  ];
}

function bind(
  role: "Role" | "ClusterRole",
  metadata: { readonly name: string; readonly namespace?: string; readonly labels: Record<string, string> },
  grants: readonly Grant[],
  account: string,
): readonly object[] {
  return [
    { apiVersion: `${group}/v1`, kind: role, metadata, rules: rulesOf(grants) },
    {
      apiVersion: `${group}/v1`,
      kind: `${role}Binding`,
      metadata,
      roleRef: { apiGroup: group, kind: role, name: metadata.name },
      subjects: [{ kind: "ServiceAccount", name: account, namespace }],
    },
  ];
}

/** One line per resource, however often it was asked for. */
function rulesOf(grants: readonly Grant[]): readonly object[] {
  const rules = new Map<
    string,
    { apiGroups: string[]; resources: string[]; resourceNames?: string[]; verbs: string[] }
  >();
  for (const { resource, subresource, names, verbs } of grants) {
    const path = subresource ? `${resource.plural}/${subresource}` : resource.plural;
    const key = JSON.stringify([groupOf(resource), path, names]);
    const limit = names ? { resourceNames: [...names] } : {};
    const rule = rules.get(key) ?? { apiGroups: [groupOf(resource)], resources: [path], ...limit, verbs: [] };
    rule.verbs.push(...verbs.filter((verb) => !rule.verbs.includes(verb)));
    rules.set(key, rule);
  }
  return [...rules.values()];
}
