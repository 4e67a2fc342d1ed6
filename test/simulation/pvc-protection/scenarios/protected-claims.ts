import type { Stage } from "../../stage.ts";

/** For `Stage.until`: every claim has a finalizer. One without any goes at once when it is deleted, and nothing could keep it. */
export const protectedClaims = async (stage: Stage): Promise<boolean> =>
  (await stage.claims()).every(({ metadata }) => metadata.finalizers?.some((name) => name.includes("protection")));
