/** After a job was posted: when to look what became of it, if its end is not heard of. Milliseconds. */
export const firstLook = 30_000;

/**
 * When to look again for what no event says: a class or a node that is missing, a node that is busy. Milliseconds.
 */
export const nextLook = 30_000;
