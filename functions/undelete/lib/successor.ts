/**
 * On a namespace: the uid of the one of its name before it, whose volumes it is to have. Everyone who could read the
 * former namespace knows this uid, so that it counts only where a setting says so.
 */
export const successorKey = "holdfast.dev/successor-of";
