import * as z from "zod";

// Absent is empty, and an empty one would be dropped by a program that reads and writes it in Go.
const variable = z.strictObject({ name: z.string().regex(/^[A-Z][A-Z_]*$/), value: z.string().min(1).optional() });

/** What every container of ours has: it writes nowhere, may nothing, and has no CPU limit. */
export const container = z.strictObject({
  image: z.string().regex(/^fn:\/\/[a-z-]+\/[a-z-]+$|@sha256:[0-9a-f]{64}$/, "a placeholder or a digest"),
  env: z
    .array(variable)
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, "a variable is set twice"),
  // Settings of the system: their defaults hold where it is absent.
  envFrom: z
    .tuple([
      z.strictObject({
        configMapRef: z.strictObject({ name: z.string().startsWith("holdfast-"), optional: z.literal(true) }),
      }),
    ])
    .optional(),
  resources: z.strictObject({
    requests: z.strictObject({ cpu: z.string().regex(/^[0-9]{1,2}m$/), memory: z.string().regex(/^[0-9]+Mi$/) }),
    limits: z.strictObject({ memory: z.string().regex(/^[0-9]+Mi$/) }),
  }),
  securityContext: z.strictObject({
    runAsNonRoot: z.literal(true),
    runAsUser: z.literal(65532),
    readOnlyRootFilesystem: z.literal(true),
    allowPrivilegeEscalation: z.literal(false),
    capabilities: z.strictObject({ drop: z.tuple([z.literal("ALL")]) }),
    seccompProfile: z.strictObject({ type: z.literal("RuntimeDefault") }),
  }),
  volumeMounts: z
    .array(z.strictObject({ name: z.string(), mountPath: z.string().startsWith("/"), readOnly: z.literal(true) }))
    .min(1)
    .optional(),
});

/** Patience: a busy function is not restarted because it answers late. */
export const patient = { timeoutSeconds: z.int().min(2), failureThreshold: z.int().min(3) };
