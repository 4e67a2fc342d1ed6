import * as z from "zod";
import { audience, duration, functionRef, name, namespaced } from "./common.ts";
import { filter } from "./filter.ts";

/** A function, or what a tag of its traffic is reached by, for which there is no object. */
const subscriber = z
  .strictObject({
    ref: functionRef.optional(),
    uri: z
      .string()
      .regex(/^http:\/\/[a-z-]+\.[a-z0-9-]+\.svc\.cluster\.local$/)
      .optional(),
    audience: audience.optional(),
  })
  .refine(({ ref, uri }) => (ref === undefined) !== (uri === undefined), "one of ref and uri");

/** With a complete delivery: what it leaves out would not be inherited. */
export const trigger = z.strictObject({
  apiVersion: z.literal("eventing.knative.dev/v1"),
  kind: z.literal("Trigger"),
  metadata: namespaced.extend({
    annotations: z.strictObject({ "kafka.eventing.knative.dev/delivery.order": z.literal("ordered") }).optional(),
  }),
  spec: z.strictObject({
    broker: name,
    filters: z.array(filter).min(1),
    subscriber,
    delivery: z.strictObject({
      retry: z.int().min(1),
      backoffPolicy: z.literal("exponential"),
      backoffDelay: duration,
      timeout: duration,
      deadLetterSink: z.strictObject({ ref: functionRef, audience: audience.optional() }),
    }),
  }),
});
