import type { User } from "../../user.ts";

/**
 * For `User.until`: every claim has a finalizer. One without any goes at once when it is deleted, and nothing could
 * keep it.
 */
export const protectedClaims = async (user: User): Promise<boolean> =>
  (await user.claims()).every(({ metadata }) => metadata.finalizers?.some((name) => name.includes("protection")));
