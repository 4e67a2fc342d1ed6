import { drawn } from "../../drawn.ts";

/** Numbers that are run every time, and one that is new in each run. */
export const fixed = [1, 2];
export const fresh = drawn;
