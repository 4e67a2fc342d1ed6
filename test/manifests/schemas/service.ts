import * as z from "zod";
import { labels, name, namespaced, workloadLabels } from "./common.ts";
import { container, patient } from "./container.ts";

/** Tokens for brokers. */
const tokens = z.strictObject({
  name: z.string(),
  projected: z.strictObject({
    sources: z
      .array(
        z.strictObject({
          serviceAccountToken: z.strictObject({
            audience: z.string().regex(/^eventing\.knative\.dev\/broker\/[a-z0-9-]+\/[a-z0-9-]+$/),
            expirationSeconds: z.int().min(600),
            path: z.string().regex(/^[a-z0-9-]+\/[a-z0-9-]+$/),
          }),
        }),
      )
      .min(1),
  }),
});

/** Credentials of an external system, which may ask for none. */
export const credentials = z.strictObject({
  name: z.string(),
  secret: z.strictObject({ secretName: z.string().startsWith("holdfast-"), optional: z.literal(true) }),
});

/** By what a function without a token knows its API server; Kubernetes keeps it in every namespace. */
const rootCertificate = z.strictObject({
  name: z.string(),
  configMap: z.strictObject({ name: z.literal("kube-root-ca.crt") }),
});

/** By name, so that a repository says which; what Knative would fill in is there. */
const target = z.strictObject({
  revisionName: name,
  latestRevision: z.literal(false),
  percent: z.int().min(0).max(100),
  tag: z
    .string()
    .regex(/^[a-z][a-z0-9-]*$/)
    .optional(),
});

/** No CPU limit, and nothing that slows a cold start. */
export const service = z.strictObject({
  apiVersion: z.literal("serving.knative.dev/v1"),
  kind: z.literal("Service"),
  metadata: namespaced.extend({
    labels: workloadLabels.extend({ "networking.knative.dev/visibility": z.literal("cluster-local") }),
  }),
  spec: z.strictObject({
    template: z.strictObject({
      metadata: z.strictObject({
        name: name.optional(),
        labels,
        annotations: z.strictObject({
          "autoscaling.knative.dev/min-scale": z.literal(["0", "1"]),
          "autoscaling.knative.dev/max-scale": z.string().regex(/^[1-9]$/),
          "autoscaling.knative.dev/window": z
            .string()
            .regex(/^([6-9]|[1-5][0-9])s$/)
            .optional(),
          "autoscaling.knative.dev/target-burst-capacity": z.literal("-1").optional(),
        }),
      }),
      spec: z.strictObject({
        serviceAccountName: name,
        enableServiceLinks: z.literal(false),
        automountServiceAccountToken: z.literal(false).optional(),
        containerConcurrency: z.int().min(1).max(1000),
        timeoutSeconds: z.int().min(1).max(600),
        containers: z.tuple([
          container.extend({
            name: z.literal("user-container"),
            readinessProbe: z.strictObject({
              successThreshold: z.literal(1),
              tcpSocket: z.strictObject({ port: z.literal(0) }),
            }),
            livenessProbe: z.strictObject({
              httpGet: z.strictObject({ path: z.literal("/health/live"), port: z.literal(0) }),
              ...patient,
            }),
          }),
        ]),
        volumes: z
          .array(z.union([tokens, credentials, rootCertificate]))
          .min(1)
          .optional(),
      }),
    }),
    traffic: z
      .array(target)
      .refine((all) => all.reduce((sum, { percent }) => sum + percent, 0) === 100, "the percentages are no whole")
      .optional(),
  }),
});
