/** Numbers that are run every time, and one that nobody has seen yet. */
export const fixed = [1, 2];
export const fresh = Math.floor(Math.random() * 1_000_000_000);
