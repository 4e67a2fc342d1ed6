import { z } from "zod";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Features } from "../features.ts";
import { type Delivery, delivery } from "./delivery.ts";
import { metadata } from "./metadata.ts";
import { readWith } from "./unobeyable.ts";

/** What a Broker asks for. */
export interface BrokerPlan {
  readonly namespace: string;
  readonly name: string;
  /** Absent: Knative's defaults apply. */
  readonly delivery?: Delivery | undefined;
  /** Answer before the subscribers have the event. */
  readonly async: boolean;
}

const classAnnotation = "eventing.knative.dev/broker.class";
const asyncAnnotation = "messaging.knative.dev/async-handler";

/** Values that Go reads as true. */
const truths = new Set(["1", "t", "T", "true", "TRUE", "True"]);

/** Reads a Broker; throws `Unobeyable`. */
export function readBroker(object: KubernetesObject, features: Features): BrokerPlan {
  const schema = z
    .looseObject({
      metadata: metadata([classAnnotation, asyncAnnotation]).refine(
        ({ annotations }) => (annotations[classAnnotation] ?? "MTChannelBasedBroker") === "MTChannelBasedBroker",
        { path: ["annotations", classAnnotation], error: "only MTChannelBasedBroker is obeyed" },
      ),
      spec: z
        .strictObject({
          // The ConfigMap that makes the channel an in-memory one, which is also what a Broker without config gets.
          config: z
            .strictObject({
              apiVersion: z.literal("v1"),
              kind: z.literal("ConfigMap"),
              name: z.literal("config-br-default-channel"),
              namespace: z.string().optional(),
            })
            .optional(),
          delivery: delivery(features).optional(),
        })
        .default({}),
    })
    .transform(({ metadata, spec }) => ({
      namespace: metadata.namespace,
      name: metadata.name,
      delivery: spec.delivery,
      async: truths.has(metadata.annotations[asyncAnnotation] ?? ""),
    }));
  return readWith(schema, object);
}
