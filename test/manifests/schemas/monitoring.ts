import * as z from "zod";
import { namespaced } from "./common.ts";

const text = z.string().min(1);
const alert = z.strictObject({
  alert: z.string().regex(/^Holdfast[A-Z][A-Za-z]+$/),
  expr: text,
  for: z.string().regex(/^\d+m$/),
  labels: z.strictObject({ severity: z.enum(["critical", "warning", "info"]), reason: text.optional() }),
  annotations: z.strictObject({ summary: text, description: text, runbook: z.string().regex(/^docs\/[\w-]+\.md/) }),
});

/** Of the Prometheus operator. */
export const prometheusRule = z.strictObject({
  apiVersion: z.literal("monitoring.coreos.com/v1"),
  kind: z.literal("PrometheusRule"),
  metadata: namespaced,
  spec: z.strictObject({ groups: z.array(z.strictObject({ name: text, rules: z.array(alert).min(1) })).min(1) }),
});
