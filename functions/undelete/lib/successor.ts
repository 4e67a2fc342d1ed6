/**
 * On a namespace: the uid of the one of its name before it, whose volumes are its own. Only someone who could see those
 * volumes knows this uid.
 */
export const successorKey = "holdfast.dev/successor-of";
