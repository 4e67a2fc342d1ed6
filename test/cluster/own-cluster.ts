import { inject } from "vitest";
import type { ProvidedCluster } from "./global-setup.ts";

const clusters = inject("clusters");

/**
 * The cluster that this worker's tests run on; absent where the suite is skipped. Where there are several, no other
 * worker uses it at the same time: Vitest numbers its workers from one, and gives the number of one that has ended to
 * the next.
 */
export const ownCluster: ProvidedCluster | undefined =
  clusters?.[(Number(process.env.VITEST_POOL_ID) - 1) % clusters.length];
