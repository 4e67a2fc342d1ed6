import { drawn } from "../../drawn.ts";

/** Numbers that are run every time, and one that nobody has seen yet. */
export const fixed = [1, 2];
export const fresh = drawn;
