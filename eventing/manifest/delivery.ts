import { z } from "zod";
import { parseIsoDuration } from "../delivery/iso-duration.ts";
import type { DeliverySpec } from "../delivery/policy.ts";
import type { Features } from "../features.ts";
import { type Destination, destination } from "./destination.ts";

/** A parsed `delivery` block; durations in milliseconds. */
export interface Delivery extends DeliverySpec {
  readonly deadLetterSink?: Destination | undefined;
}

const duration = z.string().transform((text, context) => {
  const ms = parseIsoDuration(text);
  if (ms !== undefined) return ms;
  context.addIssue(`${JSON.stringify(text)} is no ISO 8601 duration in weeks, days, hours, minutes and seconds`);
  return z.NEVER;
});

export function delivery(features: Features): z.ZodType<Delivery> {
  const retryAfterMax = features.retryAfter
    ? duration
    : z.undefined({ error: "needs the feature delivery-retryafter, which is off by default in Knative" });
  return z.strictObject({
    deadLetterSink: destination.optional(),
    retry: z.int32().min(0).optional(),
    backoffPolicy: z.enum(["exponential", "linear"]).optional(),
    backoffDelay: duration.optional(),
    timeout: duration.refine((ms) => ms > 0, "must be more than zero").optional(),
    retryAfterMax: retryAfterMax.optional(),
    format: z.enum(["json", "binary"]).optional(),
  });
}
