import type { Permission } from "../../shared/declaration.ts";
import { groupOf } from "../../shared/kubernetes/kind.ts";
import { readSettings } from "../../shared/settings.ts";
import type { Declared } from "./declared.ts";
import { clusterWide, namespace } from "./metadata.ts";

/** Who is granted something. */
interface Identity {
  /** The ServiceAccount's name. */
  readonly name: string;
  readonly labels: Record<string, string>;
}

/** What is granted. A source may watch, which no function may. */
export type Grant = Omit<Permission, "verbs" | "namespaceSetting" | "why"> & {
  readonly verbs: readonly (Permission["verbs"][number] | "watch")[];
  /** Only in this namespace, which is not the function's own. */
  readonly namespace?: string;
};

const group = "rbac.authorization.k8s.io";

/** What a function is granted, with the namespaces that its settings name by default. */
export function grantsOf(
  { settings }: Pick<Declared, "settings">,
  permissions: readonly Permission[],
): readonly Grant[] {
  return permissions.map(({ namespaceSetting, ...grant }) => {
    if (!namespaceSetting) return grant;
    const defaults: Readonly<Record<string, unknown>> = readSettings(settings, {});
    return { ...grant, namespace: String(defaults[namespaceSetting]) };
  });
}

/**
 * A ServiceAccount and roles with exactly these grants, bound to it: a ClusterRole, and a Role for what is granted in
 * one namespace only.
 */
export function accessOf(
  { name, labels }: Identity,
  grants: readonly Grant[],
  { anonymous = false }: { readonly anonymous?: boolean } = {},
): readonly object[] {
  return [
    // The token is asked for here, because in a Service Knative takes only its refusal.
    {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name, namespace, labels },
      automountServiceAccountToken: !anonymous,
    },
    ...rolesOf(name, labels, name, grants),
  ];
}

/** What an overlay grants to an account that is there: in the whole cluster, or in one namespace only. */
export function furtherAccessOf({ name, labels }: Identity, overlay: string, grants: readonly Grant[]) {
  return rolesOf(`${name}-${overlay}`, labels, name, grants);
}

function rolesOf(role: string, labels: Identity["labels"], account: string, grants: readonly Grant[]) {
  const places = Map.groupBy(grants, (grant) => (grant.ownNamespace ? namespace : (grant.namespace ?? "")));
  // The whole cluster first.
  return [...places].sort().flatMap(([place, granted]) => {
    if (!place) return bind("ClusterRole", { name: clusterWide(role), labels }, granted, account);
    // Elsewhere, its name has to say whose it is.
    const name = place === namespace ? role : clusterWide(role);
    return bind("Role", { name, namespace: place, labels }, granted, account);
  });
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
