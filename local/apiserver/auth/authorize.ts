import type { Fields } from "../../../shared/kubernetes/fields.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { fieldsAt, objectsIn } from "../kinds/fields.ts";
import { remember } from "../remember.ts";
import type { State } from "../state.ts";
import { StatusError } from "../status-error.ts";
import type { Attributes, PathAttributes } from "./attributes.ts";
import type { Identity } from "./identity.ts";
import { allows, allowsPath, type Rule, ruleFrom } from "./role-rules.ts";

/** Whether roles let a user do something. Everything is allowed while RBAC is off, and to `system:masters` always. */
export function isAllowed(state: State, user: Identity, wanted: Attributes | PathAttributes): boolean {
  if (!state.switches.rbac || user.groups.includes("system:masters")) return true;
  const namespace = "path" in wanted ? undefined : wanted.namespace;
  for (const rule of rulesOf(state, user, namespace)) {
    if ("path" in wanted ? allowsPath(rule, wanted) : allows(rule, wanted)) return true;
  }
  return false;
}

/** Lets pass who may do this to a resource. Throws 403 otherwise, whether or not there is such a resource. */
export function authorize(state: State, user: Identity, wanted: Attributes): void {
  if (isAllowed(state, user, wanted)) return;
  const { verb, group, resource, namespace, name } = wanted;
  const plural = resource.split("/")[0] ?? resource;
  const subject = `${group ? `${plural}.${group}` : plural}${name ? ` ${JSON.stringify(name)}` : ""}`;
  const scope = namespace ? `in the namespace ${JSON.stringify(namespace)}` : "at the cluster scope";
  throw new StatusError(
    403,
    "Forbidden",
    `${subject} is forbidden: User ${JSON.stringify(user.user)} cannot ${verb} resource ` +
      `${JSON.stringify(resource)} in API group ${JSON.stringify(group)} ${scope}`,
    { ...(name ? { name } : {}), ...(group ? { group } : {}), kind: plural },
  );
}

/** Lets pass who may ask for a path that is no resource. Throws 403 otherwise. */
export function authorizePath(state: State, user: Identity, wanted: PathAttributes): void {
  if (isAllowed(state, user, wanted)) return;
  const { verb, path } = wanted;
  const message = `forbidden: User ${JSON.stringify(user.user)} cannot ${verb} path ${JSON.stringify(path)}`;
  throw new StatusError(403, "Forbidden", message, {});
}

const group = "rbac.authorization.k8s.io";

/** The rules that hold for a user: everywhere, and in the namespace where there is one. */
function* rulesOf(state: State, user: Identity, namespace: string | undefined): Generator<Rule> {
  for (const { object } of state.store.list(`${group}/clusterrolebindings`, "") ?? []) {
    yield* rulesOfBinding(state, user, object);
  }
  if (!namespace) return;
  for (const { object } of state.store.list(`${group}/rolebindings`, `${namespace}/`) ?? []) {
    yield* rulesOfBinding(state, user, object);
  }
}

function* rulesOfBinding({ store }: State, user: Identity, binding: KubernetesObject): Generator<Rule> {
  const { namespace } = binding.metadata;
  if (!subjectsIn(binding).some((one) => isMeant(one, user, namespace))) return;
  const { kind, name } = fieldsAt(binding, "roleRef");
  const role =
    kind === "ClusterRole"
      ? store.get(`${group}/clusterroles`, `${name}`)
      : store.get(`${group}/roles`, `${namespace}/${name}`);
  if (!role) return;
  yield* rulesIn(role.object);
}

// Read once: every request asks, and what is stored is frozen.
const subjectsIn = remember((binding: KubernetesObject): readonly Fields[] => objectsIn(binding, "subjects"));
const rulesIn = remember((role: KubernetesObject): readonly Rule[] => objectsIn(role, "rules").map(ruleFrom));

function isMeant({ kind, name, namespace }: Fields, { user, groups }: Identity, home: string | undefined): boolean {
  switch (kind) {
    case "User":
      return name === user;
    case "Group":
      return groups.includes(String(name));
    case "ServiceAccount":
      return user === `system:serviceaccount:${namespace ?? home}:${name}`;
  }
  return false;
}
