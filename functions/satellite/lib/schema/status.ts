import { z } from "zod";

/** `meta/v1.Condition`. */
const condition = z.object({
  type: z.string().max(316),
  status: z.enum(["True", "False", "Unknown"]),
  reason: z.string().max(1024),
  message: z.string().max(32768),
  lastTransitionTime: z.iso.datetime({ offset: true }),
  observedGeneration: z.int().min(0).optional(),
});

/** Conditions of a status, by type. */
export const conditions = z
  .array(condition)
  .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] })
  .optional();
