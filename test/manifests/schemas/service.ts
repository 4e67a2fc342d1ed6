import * as z from "zod";
import { labels, name, namespaced } from "./common.ts";

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

/** No CPU limit, and nothing that slows a cold start. */
export const service = z.strictObject({
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
          "autoscaling.knative.dev/window": z
            .string()
            .regex(/^([6-9]|[1-5][0-9])s$/)
            .optional(),
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
