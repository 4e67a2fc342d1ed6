import * as z from "zod";

/**
 * The finalizer of Kubernetes' own PVC protection. Since 1.30.12 the kubelet refuses a claim being deleted only without
 * it.
 */
export const inTreeProtection = "kubernetes.io/pvc-protection";

/** The finalizer that Holdfast's PVC protection puts on claims unless its settings name another. */
export const holdfastProtection = "holdfast.dev/pvc-protection";

/** The setting that names the finalizer: a qualified name, as the API server demands of finalizers. */
export const finalizerName = z
  .string()
  .regex(/^[a-z0-9.-]{1,253}\/[A-Za-z0-9._-]{1,63}$/, "expected a qualified name such as holdfast.dev/pvc-protection")
  .default(holdfastProtection);
