import { drawn } from "../drawn.ts";

/**
 * Of scenarios that run on the emulator in any case, the part that runs on a real API server: one of so many parts as
 * `HOLDFAST_CLUSTER_SHARE` says, another for each tree; all of them without it.
 */
export function share<T>(scenarios: readonly T[]): readonly T[] {
  const parts = Number(process.env.HOLDFAST_CLUSTER_SHARE ?? 1);
  return scenarios.filter((_, index) => index % parts === drawn % parts);
}
