import * as z from "zod";
import { labels, name, namespaced, workloadLabels } from "./common.ts";
import { container, patient } from "./container.ts";
import { credentials } from "./service.ts";

const probe = (path: string) => z.strictObject({ path: z.literal(path), port: z.literal("http") });

/** A function, or what stands in for Knative's sources and brokers, as it runs without Knative. */
export const deployment = z.strictObject({
  apiVersion: z.literal("apps/v1"),
  kind: z.literal("Deployment"),
  metadata: namespaced.extend({ labels: workloadLabels }),
  spec: z.strictObject({
    replicas: z.literal(1),
    strategy: z.strictObject({
      // What the API server adds or drops, kubectl would patch with every apply.
      type: z.literal("RollingUpdate"),
      rollingUpdate: z.strictObject({ maxUnavailable: z.literal(0), maxSurge: z.literal(1) }),
    }),
    selector: z.strictObject({ matchLabels: labels.required() }),
    template: z.strictObject({
      metadata: z.strictObject({ labels: labels.required() }),
      spec: z.strictObject({
        serviceAccountName: name,
        enableServiceLinks: z.literal(false),
        terminationGracePeriodSeconds: z.int().min(30),
        containers: z.tuple([
          container.extend({
            name: z.literal("function"),
            ports: z.tuple([z.strictObject({ name: z.literal("http"), containerPort: z.literal(8080) })]),
            readinessProbe: z.strictObject({ httpGet: probe("/health/ready"), periodSeconds: z.int().min(1) }),
            livenessProbe: z.strictObject({ httpGet: probe("/health/live"), ...patient }),
          }),
        ]),
        volumes: z
          .array(z.union([z.strictObject({ name, configMap: z.strictObject({ name }) }), credentials]))
          .optional(),
      }),
    }),
  }),
});

export const clusterService = z.strictObject({
  apiVersion: z.literal("v1"),
  kind: z.literal("Service"),
  metadata: namespaced,
  spec: z.strictObject({
    selector: labels.required(),
    ports: z.tuple([z.strictObject({ name: z.literal("http"), port: z.literal(80), targetPort: z.literal("http") })]),
  }),
});
