import * as z from "zod";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { accessSchemas } from "./access.ts";
import { labels, name, namespaced, syncWave } from "./common.ts";
import { apiServerSource, broker, eventTransform, pingSource } from "./events.ts";
import { application, fluxKustomization, gitRepository } from "./gitops.ts";
import { prometheusRule } from "./monitoring.ts";
import { networkPolicy } from "./network-policy.ts";
import { clusterService, deployment } from "./no-knative.ts";
import { policy, policyBinding, writePolicy, writePolicyBinding } from "./policy.ts";
import { service } from "./service.ts";
import { trigger } from "./trigger.ts";

const podSecurity = z.literal("restricted");
const namespaceObject = z.strictObject({
  apiVersion: z.literal("v1"),
  kind: z.literal("Namespace"),
  metadata: z.strictObject({
    name,
    annotations: syncWave.optional(),
    labels: labels.extend({
      "pod-security.kubernetes.io/enforce": podSecurity,
      "pod-security.kubernetes.io/audit": podSecurity,
      "pod-security.kubernetes.io/warn": podSecurity,
    }),
  }),
});

/**
 * Every field that our manifests use, and no other: the schemas of Knative's CRDs keep fields that they do not know, so
 * that the API server would take a misspelt one in silence. Also what we hold ourselves to: roles without wildcards, no
 * CPU limit, nothing that slows a cold start, a complete delivery on every Trigger.
 */
const schemas = {
  Namespace: namespaceObject,
  ConfigMap: z.strictObject({
    apiVersion: z.literal("v1"),
    kind: z.literal("ConfigMap"),
    metadata: namespaced.extend({
      labels: labels.extend({ "holdfast.dev/sweep-table": z.literal("true").optional() }),
    }),
    data: z.union([
      z.strictObject({ "table.yaml": z.string() }),
      z.strictObject({ "eventing.yaml": z.string() }).catchall(z.string()),
      // Settings of a system.
      z.record(z.string().regex(/^[A-Z][A-Z_]*$/), z.string()),
    ]),
  }),
  // What is in it is held against a real API server.
  CustomResourceDefinition: z.strictObject({
    apiVersion: z.literal("apiextensions.k8s.io/v1"),
    kind: z.literal("CustomResourceDefinition"),
    metadata: z.strictObject({
      name,
      annotations: z.strictObject({
        "kustomize.toolkit.fluxcd.io/prune": z.literal("disabled"),
        "argocd.argoproj.io/sync-options": z.literal("Prune=false,Delete=false"),
      }),
    }),
    spec: z.strictObject({
      group: z.string(),
      scope: z.literal(["Cluster", "Namespaced"]),
      names: z.looseObject({ kind: z.string(), plural: z.string() }),
      versions: z.array(z.looseObject({ name: z.string(), served: z.literal(true), storage: z.boolean() })).min(1),
    }),
  }),
  ...accessSchemas,
  Service: service,
  Trigger: trigger,
  Broker: broker,
  ApiServerSource: apiServerSource,
  PingSource: pingSource,
  EventTransform: eventTransform,
  NetworkPolicy: networkPolicy,
  Deployment: deployment,
  // Kubernetes' own; a plain `Service` is Knative's here.
  ClusterService: clusterService,
  MutatingAdmissionPolicy: policy,
  MutatingAdmissionPolicyBinding: policyBinding,
  ValidatingAdmissionPolicy: writePolicy,
  ValidatingAdmissionPolicyBinding: writePolicyBinding,
  PrometheusRule: prometheusRule,
  // Of Flux and Argo CD, in examples.
  GitRepository: gitRepository,
  Kustomization: fluxKustomization,
  Application: application,
} as const;

/** A kind of object that is in our manifests. */
type ManifestKind = keyof typeof schemas;

const kindOf = ({ apiVersion, kind }: KubernetesObject) =>
  apiVersion === "v1" && kind === "Service" ? "ClusterService" : kind;

/** What is wrong with an object, in a line each; empty when it is one of ours and has only fields that we know. */
export function faultsOf(object: KubernetesObject): readonly string[] {
  const { kind, metadata } = object;
  const known = kindOf(object);
  const schema: z.ZodType | undefined = known in schemas ? schemas[known as ManifestKind] : undefined;
  if (!schema) return [`No schema knows the kind ${kind}.`];
  const issues = schema.safeParse(object).error?.issues ?? [];
  return issues.map((issue) => `${kind} ${metadata?.name}, ${issue.path.join(".")}: ${issue.message}`);
}

/** The objects of a kind, with the fields that its schema promises. Throws when one is not valid. */
export function ofKind<Kind extends ManifestKind>(
  kind: Kind,
  objects: readonly KubernetesObject[],
): readonly z.output<(typeof schemas)[Kind]>[] {
  const found = objects.filter((object) => kindOf(object) === kind);
  return found.map((object) => schemas[kind].parse(object) as z.output<(typeof schemas)[Kind]>);
}
