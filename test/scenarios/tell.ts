import { describe, expect, test } from "vitest";
import type { Setting, World } from "../worlds/world.ts";
import type { Story } from "./story.ts";

interface Teller {
  /** A world in this setting, for one test. */
  open(setting: Setting): Promise<World>;
  /** Begins to watch what must hold all the time. */
  watch(world: World): { check(): Promise<void> };
}

/** Tells each story in each of its settings, one test each. */
export function tell(stories: readonly Story[], settings: readonly Setting[], { open, watch }: Teller): void {
  for (const setting of settings) {
    const fitting = stories.filter((story) => story.settings?.includes(setting) ?? true);
    if (fitting.length === 0) continue;
    describe(setting.name, () => {
      for (const story of fitting) {
        test(story.title, async () => {
          const world = await open(setting);
          const invariants = watch(world);
          await story.tell(world);
          if (!story.harms) await invariants.check();
          expect(world.asked.filter(({ denied }) => denied)).toEqual([]);
        });
      }
    });
  }
}
