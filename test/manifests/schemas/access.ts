import * as z from "zod";
import { clusterWide, name, namespace, namespaced } from "./common.ts";

const verbs = ["get", "list", "watch", "create", "update", "patch", "delete"] as const;
const rule = z
  .strictObject({
    apiGroups: z.tuple([z.string().regex(/^[a-z0-9.-]*$/)]),
    resources: z.array(z.string().regex(/^([a-z0-9]+(\/[a-z]+)?|\*)$/)).min(1),
    resourceNames: z.array(name).min(1).optional(),
    verbs: z.array(z.enum(verbs)).min(1),
  })
  .refine(
    ({ apiGroups: [group], resources, verbs }) =>
      !resources.includes("*") || (group === "infrastructure.cluster.x-k8s.io" && verbs.join() === "get"),
    "Only infrastructure objects may be got of every kind: each provider of Cluster API brings its own.",
  );
const rbac = z.literal("rbac.authorization.k8s.io/v1");
const account = z.strictObject({ kind: z.literal("ServiceAccount"), name, namespace });
const binding = <Kind extends string>(kind: Kind) =>
  z.strictObject({
    apiVersion: rbac,
    kind: z.literal(`${kind}Binding`),
    metadata: kind === "Role" ? namespaced : clusterWide,
    roleRef: z.strictObject({ apiGroup: z.literal("rbac.authorization.k8s.io"), kind: z.literal(kind), name }),
    subjects: z.tuple([account]),
  });

/** To the one role of Kubernetes' own that anybody is bound to: it lets read the public keys of tokens. */
const readsKeys = binding("ClusterRole").extend({
  roleRef: z.strictObject({
    apiGroup: z.literal("rbac.authorization.k8s.io"),
    kind: z.literal("ClusterRole"),
    name: z.literal("system:service-account-issuer-discovery"),
  }),
  subjects: z.tuple([account], account),
});

/** Accounts, roles without wildcards, and bindings to accounts alone. */
export const accessSchemas = {
  ServiceAccount: z.strictObject({
    apiVersion: z.literal("v1"),
    kind: z.literal("ServiceAccount"),
    metadata: namespaced,
    automountServiceAccountToken: z.boolean(),
  }),
  ClusterRole: z.strictObject({
    apiVersion: rbac,
    kind: z.literal("ClusterRole"),
    metadata: clusterWide,
    rules: z.array(rule).min(1),
  }),
  Role: z.strictObject({
    apiVersion: rbac,
    kind: z.literal("Role"),
    metadata: namespaced,
    rules: z.array(rule).min(1),
  }),
  ClusterRoleBinding: z.union([binding("ClusterRole"), readsKeys]),
  RoleBinding: binding("Role"),
} as const;
