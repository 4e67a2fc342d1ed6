import { describe, expect, test } from "vitest";
import type { Asked } from "../worlds/asked.ts";
import type { WhenOver } from "../worlds/bench.ts";
import type { Setting, World } from "../worlds/world.ts";
import type { Story } from "./story.ts";

interface Teller {
  /** A world in this setting, for one test. */
  open(setting: Setting, told: { whenOver: WhenOver }): Promise<World>;
  /** Begins to watch what must hold all the time. */
  watch(world: World): { check(): Promise<void> };
  /** Several stories of a setting at a time: for worlds on real time, in which most of it is waiting. */
  sideBySide?: boolean;
}

/**
 * Tells each story in each of its settings, one test each. Answers what the accounts of Holdfast asked of the API server
 * meanwhile, as far as the tests have run.
 */
export function tell(
  stories: readonly Story[],
  settings: readonly Setting[],
  { open, watch, sideBySide = false }: Teller,
): ReadonlySet<Asked> {
  const asked = new Set<Asked>();
  for (const setting of settings) {
    const fitting = stories.filter((story) => story.settings?.includes(setting) ?? true);
    if (fitting.length === 0) continue;
    // Those that are told by themselves come last: vitest runs neighbours side by side.
    const ordered = fitting.toSorted((a, b) => Number(a.alone ?? false) - Number(b.alone ?? false));
    describe(setting.name, () => {
      for (const story of ordered)
        test(story.title, { concurrent: sideBySide && !story.alone }, async ({ onTestFinished }) => {
          const world = await open(setting, { whenOver: onTestFinished });
          const invariants = watch(world);
          await story.tell(world);
          if (!story.harms) await invariants.check();
          for (const each of world.asked) asked.add(each);
          expect(world.asked.filter(({ denied }) => denied)).toEqual([]);
        });
    });
  }
  return asked;
}
