import * as z from "zod";
import { name } from "./common.ts";

const interval = z.string().regex(/^\d+[smh]$/);
const metadata = z.strictObject({ name, namespace: name });
const path = z.string().regex(/^(\.\/)?knative\/[a-z/-]+$/);

/** What Flux takes: from where, and what. */
export const gitRepository = z.strictObject({
  apiVersion: z.literal("source.toolkit.fluxcd.io/v1"),
  kind: z.literal("GitRepository"),
  metadata,
  spec: z.strictObject({ interval, url: z.url(), ref: z.strictObject({ branch: z.string() }) }),
});

export const fluxKustomization = z.strictObject({
  apiVersion: z.literal("kustomize.toolkit.fluxcd.io/v1"),
  kind: z.literal("Kustomization"),
  metadata,
  spec: z.strictObject({
    dependsOn: z.array(z.strictObject({ name })).optional(),
    interval,
    sourceRef: z.strictObject({ kind: z.literal("GitRepository"), name }),
    path,
    images: z
      .array(
        z.strictObject({
          name: z.string().startsWith("fn://"),
          newName: z.string(),
          digest: z.string().startsWith("sha256:"),
        }),
      )
      .optional(),
    prune: z.literal(true),
    wait: z.literal(true),
    timeout: interval.optional(),
  }),
});

/** What Argo CD takes. */
export const application = z.strictObject({
  apiVersion: z.literal("argoproj.io/v1alpha1"),
  kind: z.literal("Application"),
  metadata,
  spec: z.strictObject({
    project: z.string(),
    source: z.strictObject({ repoURL: z.url(), targetRevision: z.string(), path }),
    destination: z.strictObject({ server: z.url(), namespace: name }),
    syncPolicy: z.strictObject({ automated: z.strictObject({ prune: z.literal(true) }) }),
  }),
});
