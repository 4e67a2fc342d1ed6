import * as z from "zod";
import { durationPattern, readDuration } from "../../../shared/duration.ts";
import { quantityForm, quantityValue } from "../../../shared/kubernetes/quantity.ts";

/** How far tenants may go who ask with their own annotations: kept volumes count in no ResourceQuota. */
export const settings = z.object({
  longestKeep: z
    .string()
    .refine((text) => text === "none" || readDuration(text) !== undefined, "expected a time such as 30d, or none")
    .meta({ pattern: `^none$|${durationPattern}` })
    .default("30d")
    .describe(
      "The longest time that a volume is kept after its claim, also if an annotation asks for more or cannot be " +
        "read; `none`: no longest time.",
    ),
  mostKept: z
    .string()
    .refine(
      (text) => ["quota", "none"].includes(text) || quantityValue(text) >= 0,
      "expected quota, a size such as 1Ti, or none",
    )
    .meta({ pattern: `^(quota|none)$|${quantityForm.source}` })
    .default("quota")
    .describe(
      "How much is kept of deleted claims of one namespace. When this is reached, the volumes of its other " +
        "claims get their former reclaim policy, and a Warning on each claim says so. `quota`: as much as a " +
        "ResourceQuota of the namespace allows of `requests.storage`, for all classes or for one. It limits no " +
        "namespace without such a quota, and none whose own annotation asks to keep volumes. `none`: no limit.",
    ),
  claimAnnotation: z
    .enum(["heeded", "ignored"])
    .default("heeded")
    .describe(
      "Whether the annotation of a claim counts. `ignored`: only those of its namespace and its StorageClass count.",
    ),
});
export type Settings = z.output<typeof settings>;
