import * as z from "zod";
import { audience, brokerRef, functionRef, name, namespaced } from "./common.ts";
import { filter } from "./filter.ts";

const ofChannels = z.strictObject({
  apiVersion: z.literal("eventing.knative.dev/v1"),
  kind: z.literal("Broker"),
  metadata: namespaced.extend({
    annotations: z.strictObject({
      "eventing.knative.dev/broker.class": z.literal("MTChannelBasedBroker"),
      "messaging.knative.dev/async-handler": z.literal("true"),
    }),
  }),
});

const ofKafka = ofChannels.extend({
  metadata: namespaced.extend({
    annotations: z.strictObject({ "eventing.knative.dev/broker.class": z.literal("Kafka") }),
  }),
  spec: z.strictObject({
    config: z.strictObject({
      apiVersion: z.literal("v1"),
      kind: z.literal("ConfigMap"),
      name: z.literal("kafka-broker-config"),
      namespace: z.literal("knative-eventing"),
    }),
  }),
});

export const broker = z.union([ofChannels, ofKafka]);

const transformRef = z.strictObject({
  apiVersion: z.literal("eventing.knative.dev/v1alpha1"),
  kind: z.literal("EventTransform"),
  name,
});

export const eventTransform = z.strictObject({
  apiVersion: z.literal("eventing.knative.dev/v1alpha1"),
  kind: z.literal("EventTransform"),
  metadata: namespaced,
  spec: z.strictObject({
    jsonata: z.strictObject({ expression: z.string().min(1) }),
    sink: z.strictObject({ ref: brokerRef }),
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
    resources: z
      .array(
        z.strictObject({
          apiVersion: z.string().min(1),
          kind: z.string().min(1),
          selector: z
            .strictObject({
              matchLabels: z.record(z.string(), z.string()).optional(),
              matchExpressions: z
                .array(
                  z.strictObject({
                    key: z.string().min(1),
                    operator: z.enum(["In", "NotIn"]),
                    values: z.array(z.string()).min(1),
                  }),
                )
                .optional(),
            })
            .optional(),
        }),
      )
      .min(1),
    filters: z.array(filter).min(1).optional(),
    sink: z.strictObject({ ref: z.union([brokerRef, transformRef]) }),
  }),
});

export const pingSource = z.strictObject({
  apiVersion: z.literal("sources.knative.dev/v1"),
  kind: z.literal("PingSource"),
  metadata: namespaced,
  spec: z.strictObject({
    schedule: z.string().regex(/^\S+( \S+){4}$/),
    sink: z.strictObject({ ref: functionRef, audience: audience.optional() }),
  }),
});
