import { z } from "zod";
import type { Column } from "./custom-kind.ts";

const time = z.iso.datetime({ offset: true });

/** `meta/v1.Condition`. */
export const condition = z.object({
  type: z.string().max(316),
  status: z.enum(["True", "False", "Unknown"]),
  reason: z.string().max(1024),
  message: z.string().max(32768),
  lastTransitionTime: time,
  observedGeneration: z.int().min(0).optional(),
});

/** The conditions of a status, by type. */
export const conditionsOf = <Condition extends z.ZodType>(one: Condition) =>
  z
    .array(one)
    .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] })
    .optional();

/** A column of `kubectl get` that shows a field of a condition; with a priority above 0 with `-o wide` only. */
export const conditionColumn = (
  name: string,
  type: string,
  field: "status" | "reason" | "message" | "lastTransitionTime",
  priority = 0,
): Column => ({
  name,
  type: field === "lastTransitionTime" ? "date" : "string",
  jsonPath: `.status.conditions[?(@.type=="${type}")].${field}`,
  ...(priority > 0 ? { priority } : {}),
});

/** When the object was created. */
export const ageColumn: Column = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

/** A version whose status is written by itself. */
export const withStatus = { subresources: { status: {} } };
