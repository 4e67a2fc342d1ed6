import { afterAll, beforeAll, describe } from "vitest";
import { bySweepsAlone } from "../scenarios/by-sweeps-alone.ts";
import * as protection from "../scenarios/pvc-protection/invariants.ts";
import { beside } from "../scenarios/pvc-protection/settings.ts";
import { stories as ofProtection } from "../scenarios/pvc-protection/stories.ts";
import * as retention from "../scenarios/pvc-retention/invariants.ts";
import { scenarios as ofRetention } from "../scenarios/pvc-retention/scenarios.ts";
import { byDefault } from "../scenarios/pvc-retention/settings.ts";
import type { Story } from "../scenarios/story.ts";
import { tell } from "../scenarios/tell.ts";
import type { RealWorlds } from "../worlds/real-world.ts";

/** Milliseconds between two sweeps of `npm start -- --lose-all-events`. */
const everyOther = 2_000;

const seenFromOutside = (all: readonly Story[]) => all.filter(({ within, takes }) => !within && takes === undefined);

/**
 * Tells every story that is seen from outside to functions that are processes: with sources of changes, and by sweeps alone.
 * `start`: begins such worlds. `functionsMayGo`: whether the cluster stays without them.
 */
export function tellAll(
  start: (options: { bySweepsAlone: boolean }) => Promise<RealWorlds>,
  { functionsMayGo }: { functionsMayGo: boolean },
): void {
  const protecting = seenFromOutside(ofProtection);
  const retaining = seenFromOutside(ofRetention).filter(({ absent }) => !absent);
  // Functions that come back find what there is by the sweep.
  const returning = functionsMayGo ? seenFromOutside(ofRetention).filter(({ absent }) => absent) : [];
  const swept = {
    protection: bySweepsAlone(protecting, beside, everyOther),
    retention: bySweepsAlone([...retaining, ...returning], byDefault, everyOther),
  };
  describe("with sources of changes", () => {
    const teller = tellerOf(() => start({ bySweepsAlone: false }));
    tell(protecting, [beside], { ...teller, watch: protection.watchInvariants });
    tell(retaining, [byDefault], { ...teller, watch: retention.watchInvariants });
  });
  describe("without any", () => {
    const teller = tellerOf(() => start({ bySweepsAlone: true }));
    tell(swept.protection.stories, [swept.protection.setting], { ...teller, watch: protection.watchInvariants });
    tell(swept.retention.stories, [swept.retention.setting], { ...teller, watch: retention.watchInvariants });
  });
}

/** Worlds for the describe block that it is called in. */
function tellerOf(start: () => Promise<RealWorlds>) {
  let worlds: RealWorlds;
  beforeAll(async () => {
    worlds = await start();
  });
  afterAll(() => worlds?.stop());
  return { open: (...told: Parameters<RealWorlds["open"]>) => worlds.open(...told), sideBySide: true };
}
