import { afterEach, beforeEach, expect } from "vitest";
import type { Asked } from "../worlds/asked.ts";
import { type Administrator, administratorOf } from "./administrator.ts";
import { type BedOptions, openSatelliteBed, type SatelliteBed } from "./bed.ts";
import { watchInvariants } from "./invariants.ts";

/**
 * Gives each test of the file or `describe` it is called in a bed of its own, with an administrator. Each write of a
 * rule is watched, and none may have failed for good in the end. Returns what rules have asked of the API server, as
 * far as the tests have run.
 */
export function onBed(
  take: (bed: SatelliteBed, admin: Administrator) => void,
  options: BedOptions = {},
): ReadonlySet<Asked> {
  const asked = new Set<Asked>();
  let bed: SatelliteBed;
  beforeEach(async () => {
    bed = await openSatelliteBed(options);
    watchInvariants(bed);
    take(bed, administratorOf(bed));
  });
  afterEach(async () => {
    await bed.stop();
    for (const each of bed.requests) asked.add(each);
    expect(bed.failures).toEqual([]);
  });
  return asked;
}
