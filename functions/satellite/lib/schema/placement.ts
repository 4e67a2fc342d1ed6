import { z } from "zod";

const requirement = z.object({
  key: z.string().describe("The label's key, or metadata.name among matchFields."),
  operator: z.enum(["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]),
  values: z.array(z.string()).meta({ "x-kubernetes-list-type": "atomic" }).optional(),
});
const requirements = z.array(requirement).meta({ "x-kubernetes-list-type": "atomic" }).optional();

/** Labels, each with just that value. */
export const nodeSelector = z.record(z.string(), z.string());

/** `core/v1.NodeSelector`. */
export const nodeAffinity = z
  .object({
    nodeSelectorTerms: z
      .array(
        z
          .object({ matchExpressions: requirements, matchFields: requirements })
          .meta({ "x-kubernetes-map-type": "atomic" }),
      )
      .meta({ "x-kubernetes-list-type": "atomic" }),
  })
  .meta({ "x-kubernetes-map-type": "atomic" });

/** `core/v1.Toleration`. */
export const toleration = z.object({
  key: z.string().optional(),
  operator: z.string().optional(),
  value: z.string().optional(),
  effect: z.string().optional(),
  tolerationSeconds: z.int().optional(),
});
