import * as z from "zod";

const attributes = z
  .strictObject({
    type: z.enum([
      "dev.knative.apiserver.resource.add",
      "dev.knative.apiserver.resource.update",
      "dev.knative.apiserver.resource.delete",
      "dev.holdfast.sweep",
      "dev.holdfast.salt.job-returned",
      "dev.holdfast.poll.satellite-set-hooks",
      "dev.holdfast.poll.satellite-register",
      "dev.holdfast.poll.satellite-restore",
      "dev.holdfast.poll.volume-refresh-device-name",
      "dev.holdfast.poll.pvc-retention-set-owner",
      "dev.holdfast.poll.eviction-keep-pod",
      "dev.holdfast.poll.eviction-replace-agent",
    ]),
    apiversion: z.string().min(1),
    kind: z.string().min(1),
    namespace: z.string().min(1),
    name: z.string().min(1),
  })
  .partial()
  .refine((map) => Object.keys(map).length > 0, "matches nothing by name");

/** Strict unions: an entry has one dialect. */
export const filter: z.ZodType = z.lazy(() =>
  z.union([
    z.strictObject({ exact: attributes }),
    z.strictObject({ any: z.array(filter).min(1) }),
    z.strictObject({ all: z.array(filter).min(1) }),
    z.strictObject({ not: filter }),
  ]),
);
