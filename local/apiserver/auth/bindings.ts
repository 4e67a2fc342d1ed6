import type { Fields } from "../../../shared/kubernetes/fields.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { fieldsAt, objectsIn } from "../kinds/fields.ts";
import { remember } from "../remember.ts";
import type { State } from "../state.ts";
import type { Identity } from "./identity.ts";
import { type Rule, ruleFrom } from "./role-rules.ts";

const group = "rbac.authorization.k8s.io";

/** The rules that hold for a user: everywhere, and in the namespace where there is one. */
export function* rulesOf(state: State, user: Identity, namespace: string | undefined): Generator<Rule> {
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
