import { afterEach, beforeEach, expect } from "vitest";
import type { Asked } from "../worlds/asked.ts";
import { type Administrator, administratorOf } from "./administrator.ts";
import { type HarnessOptions, openSatelliteHarness, type SatelliteHarness } from "./harness.ts";
import { watchInvariants } from "./invariants.ts";

/**
 * Gives each test of the file or `describe` it is called in a harness of its own, with an administrator. Each write of
 * a rule is watched, and none may have failed for good in the end. Returns what rules have asked of the API server, as
 * far as the tests have run.
 */
export function withHarness(
  take: (harness: SatelliteHarness, admin: Administrator) => void,
  options: HarnessOptions = {},
): ReadonlySet<Asked> {
  const asked = new Set<Asked>();
  let harness: SatelliteHarness;
  beforeEach(async () => {
    harness = await openSatelliteHarness(options);
    watchInvariants(harness);
    take(harness, administratorOf(harness));
  });
  afterEach(async () => {
    await harness.stop();
    for (const each of harness.requests) asked.add(each);
    expect(harness.failures).toEqual([]);
  });
  return asked;
}
