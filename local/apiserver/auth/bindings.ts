import type { Fields } from "../../../shared/kubernetes/fields.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { fieldsAt, objectsIn } from "../kinds/fields.ts";
import type { State } from "../state.ts";
import type { Identity } from "./identity.ts";
import { type Rule, ruleFrom } from "./role-rules.ts";

/** A rule that holds for somebody. */
export interface HeldRule {
  readonly rule: Rule;
  /** The sentence that says why; few ask. */
  message(): string;
}

const group = "rbac.authorization.k8s.io";

/** The rules that hold for somebody: everywhere, and in the namespace where there is one. */
export function* rulesOf(state: State, user: Identity, namespace: string | undefined): Generator<HeldRule> {
  for (const { object } of state.store.list(`${group}/clusterrolebindings`, "") ?? []) {
    yield* rulesOfBinding(state, user, object);
  }
  if (!namespace) return;
  for (const { object } of state.store.list(`${group}/rolebindings`, `${namespace}/`) ?? []) {
    yield* rulesOfBinding(state, user, object);
  }
}

function* rulesOfBinding({ store }: State, user: Identity, binding: KubernetesObject): Generator<HeldRule> {
  const { namespace } = binding.metadata;
  const subject = objectsIn(binding, "subjects").find((one) => isMeant(one, user, namespace));
  if (!subject) return;
  const { kind, name } = fieldsAt(binding, "roleRef");
  const role =
    kind === "ClusterRole"
      ? store.get(`${group}/clusterroles`, `${name}`)
      : store.get(`${group}/roles`, `${namespace}/${name}`);
  if (!role) return;
  const message = () => {
    const where = namespace ? `${binding.metadata.name}/${namespace}` : binding.metadata.name;
    const who = subject.kind === "ServiceAccount" ? `${subject.name}/${subject.namespace ?? namespace}` : subject.name;
    return (
      `RBAC: allowed by ${binding.kind} ${JSON.stringify(where)} of ${kind} ${JSON.stringify(name)} to ` +
      `${subject.kind} ${JSON.stringify(who)}`
    );
  };
  for (const rule of rulesIn(role.object)) yield { rule, message };
}

const read = new WeakMap<KubernetesObject, readonly Rule[]>();

/** The rules of a role: read once, because every request asks, and what is stored is frozen. */
function rulesIn(role: KubernetesObject): readonly Rule[] {
  const rules = read.get(role) ?? objectsIn(role, "rules").map(ruleFrom);
  read.set(role, rules);
  return rules;
}

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
