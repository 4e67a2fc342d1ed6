import * as z from "zod";
import { duration, functionRef, name, namespaced } from "./common.ts";

const attributes = z
  .strictObject({
    type: z.enum([
      "dev.knative.apiserver.resource.add",
      "dev.knative.apiserver.resource.update",
      "dev.knative.apiserver.resource.delete",
      "dev.holdfast.sweep",
    ]),
    apiversion: z.string().min(1),
    kind: z.string().min(1),
    namespace: z.string().min(1),
    name: z.string().min(1),
  })
  .partial()
  .refine((map) => Object.keys(map).length > 0, "matches nothing by name");

/** Strict unions: an entry has one dialect. */
const filter: z.ZodType = z.lazy(() =>
  z.union([
    z.strictObject({ exact: attributes }),
    z.strictObject({ any: z.array(filter).min(1) }),
    z.strictObject({ all: z.array(filter).min(1) }),
    z.strictObject({ not: filter }),
  ]),
);

/** With a complete delivery: what it leaves out would not be inherited. */
export const trigger = z.strictObject({
  apiVersion: z.literal("eventing.knative.dev/v1"),
  kind: z.literal("Trigger"),
  metadata: namespaced,
  spec: z.strictObject({
    broker: name,
    filters: z.array(filter).min(1),
    subscriber: z.strictObject({ ref: functionRef }),
    delivery: z.strictObject({
      retry: z.int().min(1),
      backoffPolicy: z.literal("exponential"),
      backoffDelay: duration,
      timeout: duration,
      deadLetterSink: z.strictObject({ ref: functionRef }),
    }),
  }),
});
