import type { Setting } from "../worlds/world.ts";
import type { Story } from "./story.ts";

/**
 * A setting in which no source of changes runs, and the stories of another one that are told in it: those that are seen from outside.
 * `every`: milliseconds between two sweeps, where the world does not have a schedule of its own.
 */
export function bySweepsAlone(stories: readonly Story[], setting: Setting, every: number) {
  const swept: Setting = {
    ...setting,
    name: `${setting.name}, by sweeps alone`,
    bySweepsAlone: every,
    // A tick that naps for one story's sake must not keep the others waiting.
    environment: { ...setting.environment, "platform-sweep": { TICK: String(Math.max(2, Math.floor(every / 1000))) } },
  };
  const told = stories
    .filter(({ within, byEventsOnly, settings }) => !within && !byEventsOnly && (settings?.includes(setting) ?? true))
    .map((story): Story => ({ ...story, settings: [swept] }));
  return { setting: swept, stories: told };
}
