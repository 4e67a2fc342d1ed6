import * as z from "zod";
import { brokerRef, functionRef, name, namespaced } from "./common.ts";

export const broker = z.strictObject({
  apiVersion: z.literal("eventing.knative.dev/v1"),
  kind: z.literal("Broker"),
  metadata: namespaced.extend({
    annotations: z.strictObject({
      "eventing.knative.dev/broker.class": z.literal("MTChannelBasedBroker"),
      "messaging.knative.dev/async-handler": z.literal("true"),
    }),
  }),
});

export const apiServerSource = z.strictObject({
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

export const pingSource = z.strictObject({
  apiVersion: z.literal("sources.knative.dev/v1"),
  kind: z.literal("PingSource"),
  metadata: namespaced,
  spec: z.strictObject({ schedule: z.string().regex(/^\S+( \S+){4}$/), sink: z.strictObject({ ref: functionRef }) }),
});
