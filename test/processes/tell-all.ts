import { afterAll, beforeAll, describe } from "vitest";
import { bySweepsAlone } from "../scenarios/by-sweeps-alone.ts";
import * as protection from "../scenarios/pvc-protection/invariants.ts";
import { beside } from "../scenarios/pvc-protection/settings.ts";
import { stories as ofProtection } from "../scenarios/pvc-protection/stories.ts";
import * as retention from "../scenarios/pvc-retention/invariants.ts";
import { whole } from "../scenarios/pvc-retention/settings.ts";
import { stories as ofRetention } from "../scenarios/pvc-retention/stories.ts";
import { upgrading } from "../scenarios/pvc-retention/upgrading.ts";
import type { Story } from "../scenarios/story.ts";
import { tell } from "../scenarios/tell.ts";
import type { RealWorlds } from "../worlds/real-world.ts";

/** Milliseconds between two sweeps of `npm start -- --lose-all-events`. */
const everyOther = 2_000;

const seenFromOutside = (stories: readonly Story[]) =>
  stories.filter(({ within, takes }) => !within && takes === undefined);

/**
 * Tells every story that is seen from outside to functions that are processes: with sources of changes, and by sweeps alone.
 * `start`: begins such worlds. `functionsMayGo`: whether the cluster stays without them.
 */
export function tellAll(
  start: (options: { bySweepsAlone: boolean }) => Promise<RealWorlds>,
  { functionsMayGo }: { functionsMayGo: boolean },
): void {
  const swept = {
    protection: bySweepsAlone(seenFromOutside(ofProtection), beside, everyOther),
    retention: bySweepsAlone(seenFromOutside(ofRetention), whole, everyOther),
  };
  // They find what there is by the sweep, in this as in every world.
  const comings = bySweepsAlone(
    upgrading.map((story) => ({ ...story, within: false })),
    whole,
    everyOther,
  );
  describe("with sources of changes", () => {
    const teller = tellerOf(() => start({ bySweepsAlone: false }));
    tell(seenFromOutside(ofProtection), [beside], { ...teller, watch: protection.watchInvariants });
    tell(seenFromOutside(ofRetention), [whole], { ...teller, watch: retention.watchInvariants });
  });
  describe("without any", () => {
    const teller = tellerOf(() => start({ bySweepsAlone: true }));
    tell(swept.protection.stories, [swept.protection.setting], { ...teller, watch: protection.watchInvariants });
    tell(swept.retention.stories, [swept.retention.setting], { ...teller, watch: retention.watchInvariants });
    if (functionsMayGo) tell(comings.stories, [comings.setting], { ...teller, watch: retention.watchInvariants });
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
