import * as z from "zod";

/** What all functions of the system are set by: in the ConfigMap `holdfast-volume`. */
export const common = z.object({
  saltenv: z
    .string()
    .regex(/^[\w.-]*$/, "expected the name of a Salt environment such as base")
    .default("")
    .describe(
      "The Salt environment of the states. Empty: `metalk8s-<version>` on nodes that MetalK8s has labelled " +
        "with its version, else `base`.",
    ),
});
export type Common = z.output<typeof common>;
