/** What both put on a claim. */
export const finalizer = "holdfast.dev/pvc-protection";

/** The annotation that the bench changes to wake them. */
export const wake = "bench.example/wake";
