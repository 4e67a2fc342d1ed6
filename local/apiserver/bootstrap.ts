import { defaultRoles } from "./auth/default-roles.ts";
import { administrator } from "./auth/identity.ts";
import { copyOf } from "./patch/copy.ts";
import { callOf } from "./request/call.ts";
import type { State } from "./state.ts";
import { createObject } from "./write/create-object.ts";

/** Creates what a new cluster has before anybody comes. */
export function bootstrap(state: State): void {
  for (const name of ["default", "kube-system", "kube-public"]) create(state, "", "v1", "namespaces", name, {});
  if (!state.switches.rbac) return;
  const group = "rbac.authorization.k8s.io";
  for (const { name, rules, groups } of defaultRoles) {
    create(state, group, "v1", "clusterroles", name, { rules: copyOf(rules) });
    const roleRef = { apiGroup: group, kind: "ClusterRole", name };
    const subjects = groups.map((subject) => ({ apiGroup: group, kind: "Group", name: subject }));
    create(state, group, "v1", "clusterrolebindings", name, { roleRef, subjects });
  }
}

function create(state: State, group: string, version: string, plural: string, name: string, content: object): void {
  const request = { method: "POST", path: "", headers: { "user-agent": "kube-apiserver" } } as const;
  const call = callOf(state, { group, version, plural }, new URLSearchParams(), request, administrator);
  const { apiVersion, kind } = call.resource;
  createObject(state, call, { apiVersion, kind, metadata: { name, uid: "", resourceVersion: "" }, ...content });
}
