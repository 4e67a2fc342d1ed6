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

const rule = (more: object) => ({ verbs: ["get"], ...more });
const health = ["/healthz", "/livez", "/readyz", "/version", "/version/"];
const discovery = ["/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*", ...health];

interface DefaultRole {
  readonly name: string;
  readonly rules: readonly object[];
  readonly groups: readonly string[];
}

/** The roles that a new cluster has, as far as anybody here needs them, with the groups they are bound to. */
const defaultRoles: readonly DefaultRole[] = [
  {
    name: "cluster-admin",
    rules: [
      { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
      { nonResourceURLs: ["*"], verbs: ["*"] },
    ],
    groups: ["system:masters"],
  },
  {
    name: "system:basic-user",
    rules: [
      { apiGroups: ["authorization.k8s.io"], resources: ["selfsubjectaccessreviews"], verbs: ["create"] },
      { apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"], verbs: ["create"] },
    ],
    groups: ["system:authenticated"],
  },
  { name: "system:discovery", rules: [rule({ nonResourceURLs: discovery })], groups: ["system:authenticated"] },
  {
    name: "system:public-info-viewer",
    rules: [rule({ nonResourceURLs: health })],
    groups: ["system:authenticated", "system:unauthenticated"],
  },
];
