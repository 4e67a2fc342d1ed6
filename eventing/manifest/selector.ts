import { z } from "zod";

const requirement = z
  .strictObject({
    key: z.string().min(1),
    operator: z.enum(["In", "NotIn", "Exists", "DoesNotExist"]),
    values: z.array(z.string()).optional(),
  })
  .refine(({ operator, values = [] }) => operator.endsWith("In") === values.length > 0, {
    error: "In and NotIn need values, Exists and DoesNotExist have none",
  });

/** A label selector; parsed into the text that the API server takes, empty when it selects everything. */
export const labelSelector = z
  .strictObject({
    matchLabels: z.record(z.string(), z.string()).default({}),
    matchExpressions: z.array(requirement).default([]),
  })
  .transform(({ matchLabels, matchExpressions }) =>
    [
      ...Object.entries(matchLabels).map(([label, value]) => `${label}=${value}`),
      ...matchExpressions.map(({ key, operator, values = [] }) => {
        if (operator === "Exists") return key;
        if (operator === "DoesNotExist") return `!${key}`;
        return `${key} ${operator === "In" ? "in" : "notin"} (${values.join(",")})`;
      }),
    ].join(","),
  );
