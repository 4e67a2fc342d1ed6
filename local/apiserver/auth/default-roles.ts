const rule = (more: object) => ({ verbs: ["get"], ...more });
const health = ["/healthz", "/livez", "/readyz", "/version", "/version/"];
const discovery = ["/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*", ...health];

interface DefaultRole {
  readonly name: string;
  readonly rules: readonly object[];
  readonly groups: readonly string[];
}

/** The roles that a new cluster has, as far as anybody here needs them, with the groups they are bound to. */
export const defaultRoles: readonly DefaultRole[] = [
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
