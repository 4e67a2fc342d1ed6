import * as z from "zod";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";

/**
 * Every field that our manifests use, and no other: the schemas of Knative's CRDs keep fields that they do not know, so that the
 * API server would take a misspelt one in silence. Also what we hold ourselves to: roles without wildcards, no CPU limit, nothing
 * that slows a cold start, a complete delivery on every Trigger.
 */
const name = z.string().regex(/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/);
const duration = z.string().regex(/^PT([0-9]+M)?([0-9.]+S)?$/);
const namespace = z.string().regex(/^[a-z0-9-]+$/);

const labels = z.strictObject({
  "app.kubernetes.io/part-of": z.literal("holdfast"),
  "app.kubernetes.io/name": name.optional(),
  "app.kubernetes.io/component": name.optional(),
});

const clusterWide = z.strictObject({ name, labels });
const namespaced = z.strictObject({ name, namespace, labels });

const verbs = ["get", "list", "watch", "create", "update", "patch", "delete"] as const;
const rule = z.strictObject({
  apiGroups: z.tuple([z.string().regex(/^[a-z0-9.]*$/)]),
  resources: z.array(z.string().regex(/^[a-z]+(\/[a-z]+)?$/)).min(1),
  verbs: z.array(z.enum(verbs)).min(1),
});
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

/** In the namespace of the object that refers: an overlay may move both. */
const functionRef = z.strictObject({
  apiVersion: z.literal("serving.knative.dev/v1"),
  kind: z.literal("Service"),
  name,
});
const brokerRef = z.strictObject({
  apiVersion: z.literal("eventing.knative.dev/v1"),
  kind: z.literal("Broker"),
  name,
});

const container = z.strictObject({
  image: z.string().regex(/^fn:\/\/[a-z-]+\/[a-z-]+$|@sha256:[0-9a-f]{64}$/, "a placeholder or a digest"),
  env: z.array(z.strictObject({ name: z.string().regex(/^[A-Z][A-Z_]*$/), value: z.string() })),
  livenessProbe: z.strictObject({
    httpGet: z.strictObject({ path: z.literal("/health/live") }),
    timeoutSeconds: z.int().min(2),
    failureThreshold: z.int().min(3),
  }),
  resources: z.strictObject({
    requests: z.strictObject({ cpu: z.string().regex(/^[0-9]{1,2}m$/), memory: z.string().regex(/^[0-9]+Mi$/) }),
    limits: z.strictObject({ memory: z.string().regex(/^[0-9]+Mi$/) }),
  }),
  securityContext: z.strictObject({
    runAsNonRoot: z.literal(true),
    runAsUser: z.literal(65532),
    readOnlyRootFilesystem: z.literal(true),
    allowPrivilegeEscalation: z.literal(false),
    capabilities: z.strictObject({ drop: z.tuple([z.literal("ALL")]) }),
    seccompProfile: z.strictObject({ type: z.literal("RuntimeDefault") }),
  }),
});

const service = z.strictObject({
  apiVersion: z.literal("serving.knative.dev/v1"),
  kind: z.literal("Service"),
  metadata: namespaced.extend({
    labels: labels.extend({ "networking.knative.dev/visibility": z.literal("cluster-local") }),
  }),
  spec: z.strictObject({
    template: z.strictObject({
      metadata: z.strictObject({
        labels,
        annotations: z.strictObject({
          "autoscaling.knative.dev/min-scale": z.literal("0"),
          "autoscaling.knative.dev/max-scale": z.string().regex(/^[1-9]$/),
        }),
      }),
      spec: z.strictObject({
        serviceAccountName: name,
        enableServiceLinks: z.literal(false),
        containerConcurrency: z.int().min(1).max(1000),
        timeoutSeconds: z.int().min(1).max(600),
        containers: z.tuple([container]),
      }),
    }),
  }),
});

const attributes = z
  .strictObject({
    type: z.enum([
      "dev.knative.apiserver.resource.add",
      "dev.knative.apiserver.resource.update",
      "dev.knative.apiserver.resource.delete",
      "dev.holdfast.sweep",
    ]),
    apiversion: z.string().min(1),
    kind: z.string().min(1),
    namespace: z.string().min(1),
    name: z.string().min(1),
  })
  .partial()
  .refine((map) => Object.keys(map).length > 0, "matches nothing by name");

/** Strict unions: an entry has one dialect. */
const filter: z.ZodType = z.lazy(() =>
  z.union([
    z.strictObject({ exact: attributes }),
    z.strictObject({ any: z.array(filter).min(1) }),
    z.strictObject({ all: z.array(filter).min(1) }),
    z.strictObject({ not: filter }),
  ]),
);

const trigger = z.strictObject({
  apiVersion: z.literal("eventing.knative.dev/v1"),
  kind: z.literal("Trigger"),
  metadata: namespaced,
  spec: z.strictObject({
    broker: name,
    filters: z.array(filter).min(1),
    subscriber: z.strictObject({ ref: functionRef }),
    delivery: z.strictObject({
      retry: z.int().min(1),
      backoffPolicy: z.literal("exponential"),
      backoffDelay: duration,
      timeout: duration,
      deadLetterSink: z.strictObject({ ref: functionRef }),
    }),
  }),
});

const broker = z.strictObject({
  apiVersion: z.literal("eventing.knative.dev/v1"),
  kind: z.literal("Broker"),
  metadata: namespaced.extend({
    annotations: z.strictObject({
      "eventing.knative.dev/broker.class": z.literal("MTChannelBasedBroker"),
      "messaging.knative.dev/async-handler": z.literal("true"),
    }),
  }),
});

const apiServerSource = z.strictObject({
  apiVersion: z.literal("sources.knative.dev/v1"),
  kind: z.literal("ApiServerSource"),
  metadata: namespaced,
  spec: z.strictObject({
    serviceAccountName: name,
    mode: z.literal("Resource"),
    namespaceSelector: z.strictObject({}).optional(),
    resources: z.array(z.strictObject({ apiVersion: z.string().min(1), kind: z.string().min(1) })).min(1),
    sink: z.strictObject({ ref: brokerRef }),
  }),
});

const pingSource = z.strictObject({
  apiVersion: z.literal("sources.knative.dev/v1"),
  kind: z.literal("PingSource"),
  metadata: namespaced,
  spec: z.strictObject({ schedule: z.string().regex(/^\S+( \S+){4}$/), sink: z.strictObject({ ref: functionRef }) }),
});

const selector = z.strictObject({
  matchLabels: z.record(z.string(), z.string()).optional(),
  matchExpressions: z
    .array(z.strictObject({ key: z.string(), operator: z.enum(["In", "NotIn"]), values: z.array(z.string()).min(1) }))
    .optional(),
});

const policy = z.strictObject({
  apiVersion: z.literal("admissionregistration.k8s.io/v1"),
  kind: z.literal("MutatingAdmissionPolicy"),
  metadata: clusterWide,
  spec: z.strictObject({
    failurePolicy: z.literal("Ignore"),
    reinvocationPolicy: z.literal("Never"),
    matchConstraints: z.strictObject({
      resourceRules: z.array(
        z.strictObject({
          apiGroups: z.array(z.string()),
          apiVersions: z.array(z.string()),
          operations: z.tuple([z.literal("CREATE")]),
          resources: z.array(z.string()),
        }),
      ),
    }),
    mutations: z.tuple([
      z.strictObject({
        patchType: z.literal("ApplyConfiguration"),
        applyConfiguration: z.strictObject({ expression: z.string() }),
      }),
    ]),
  }),
});

const policyBinding = z.strictObject({
  apiVersion: z.literal("admissionregistration.k8s.io/v1"),
  kind: z.literal("MutatingAdmissionPolicyBinding"),
  metadata: clusterWide,
  spec: z.strictObject({
    policyName: name,
    matchResources: z.strictObject({ namespaceSelector: selector, objectSelector: selector }).partial().optional(),
  }),
});

const podSecurity = z.literal("restricted");
const namespaceObject = z.strictObject({
  apiVersion: z.literal("v1"),
  kind: z.literal("Namespace"),
  metadata: z.strictObject({
    name,
    labels: labels.extend({
      "pod-security.kubernetes.io/enforce": podSecurity,
      "pod-security.kubernetes.io/audit": podSecurity,
      "pod-security.kubernetes.io/warn": podSecurity,
    }),
  }),
});

const schemas = {
  Namespace: namespaceObject,
  ServiceAccount: z.strictObject({
    apiVersion: z.literal("v1"),
    kind: z.literal("ServiceAccount"),
    metadata: namespaced,
    automountServiceAccountToken: z.literal(true),
  }),
  ConfigMap: z.strictObject({
    apiVersion: z.literal("v1"),
    kind: z.literal("ConfigMap"),
    metadata: namespaced,
    data: z.strictObject({ "table.yaml": z.string() }),
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
  ClusterRoleBinding: binding("ClusterRole"),
  RoleBinding: binding("Role"),
  Service: service,
  Trigger: trigger,
  Broker: broker,
  ApiServerSource: apiServerSource,
  PingSource: pingSource,
  MutatingAdmissionPolicy: policy,
  MutatingAdmissionPolicyBinding: policyBinding,
} as const;

/** A kind of object that is in our manifests. */
type ManifestKind = keyof typeof schemas;

/** What is wrong with an object, in a line each; empty when it is one of ours and has only fields that we know. */
export function faultsOf({ kind, metadata, ...rest }: KubernetesObject): readonly string[] {
  const schema: z.ZodType | undefined = kind in schemas ? schemas[kind as ManifestKind] : undefined;
  if (!schema) return [`No schema knows the kind ${kind}.`];
  const issues = schema.safeParse({ kind, metadata, ...rest }).error?.issues ?? [];
  return issues.map((issue) => `${kind} ${metadata?.name}, ${issue.path.join(".")}: ${issue.message}`);
}

/** The objects of a kind, with the fields that its schema promises. Throws when one is not valid. */
export function ofKind<Kind extends ManifestKind>(
  kind: Kind,
  objects: readonly KubernetesObject[],
): readonly z.output<(typeof schemas)[Kind]>[] {
  const found = objects.filter((object) => object.kind === kind);
  return found.map((object) => schemas[kind].parse(object) as z.output<(typeof schemas)[Kind]>);
}
