import * as z from "zod";
import { version } from "../../../cli/version.ts";

export const name = z.string().regex(/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/);
export const duration = z.string().regex(/^PT([0-9]+M)?([0-9.]+S)?$/);
export const namespace = z.string().regex(/^[a-z0-9-]+$/);

export const labels = z.strictObject({
  "app.kubernetes.io/part-of": z.literal("holdfast"),
  "app.kubernetes.io/name": name.optional(),
  "app.kubernetes.io/component": name.optional(),
});

/** On what runs a function: which version its manifest is of. Its pods do not have it: each release would roll them. */
export const workloadLabels = labels.extend({ "app.kubernetes.io/version": z.literal(version()) });

/** What an overlay for Argo CD says of when an object is applied. */
export const syncWave = z.strictObject({ "argocd.argoproj.io/sync-wave": z.literal("-1") });

export const clusterWide = z.strictObject({ name, labels, annotations: syncWave.optional() });
export const namespaced = z.strictObject({ name, namespace, labels, annotations: syncWave.optional() });

/** In the namespace of the object that refers: an overlay may move both. */
export const functionRef = z.strictObject({
  apiVersion: z.literal("serving.knative.dev/v1"),
  kind: z.literal("Service"),
  name,
});
export const brokerRef = z.strictObject({
  apiVersion: z.literal("eventing.knative.dev/v1"),
  kind: z.literal("Broker"),
  name,
});

/** What a token must be meant for so that a function takes the event with it. */
export const audience = z.string().regex(/^[a-z0-9-]+\/[a-z0-9-]+$/);
