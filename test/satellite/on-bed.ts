import { afterEach, beforeEach, expect } from "vitest";
import { type Administrator, administratorOf } from "./administrator.ts";
import { type BedOptions, openSatelliteBed, type SatelliteBed } from "./bed.ts";
import { watchInvariants } from "./invariants.ts";

/**
 * Gives each test of the file or `describe` it is called in a bed of its own, with an administrator. Each write of a
 * rule is watched, and none may have failed for good in the end.
 */
export function onBed(take: (bed: SatelliteBed, admin: Administrator) => void, options: BedOptions = {}): void {
  let bed: SatelliteBed;
  beforeEach(async () => {
    bed = await openSatelliteBed(options);
    watchInvariants(bed);
    take(bed, administratorOf(bed));
  });
  afterEach(async () => {
    await bed.stop();
    expect(bed.failures).toEqual([]);
  });
}
