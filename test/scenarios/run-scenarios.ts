import { describe, expect, test } from "vitest";
import type { Asked } from "../worlds/asked.ts";
import type { WhenOver } from "../worlds/bench.ts";
import type { Setting, World } from "../worlds/world.ts";
import type { Scenario } from "./scenario.ts";

interface Runner {
  /** A world in this setting, for one test. */
  open(setting: Setting, test: { whenOver: WhenOver }): Promise<World>;
  /** Begins to watch what must hold all the time; absent where the simulation alone does. */
  watch?(world: World): { check(): Promise<void> };
  /** Several scenarios of a setting at a time: for worlds on real time, in which most of it is waiting. */
  sideBySide?: boolean;
}

/**
 * Runs each scenario in each of its settings, one test each. Returns what the accounts of Holdfast asked of the API
 * server meanwhile, as far as the tests have run.
 */
export function runScenarios(
  scenarios: readonly Scenario[],
  settings: readonly Setting[],
  { open, watch, sideBySide = false }: Runner,
): ReadonlySet<Asked> {
  const asked = new Set<Asked>();
  for (const setting of settings) {
    const fitting = scenarios.filter((scenario) => scenario.settings?.includes(setting) ?? true);
    if (fitting.length === 0) continue;
    // Those that run by themselves come last: vitest runs neighbours side by side.
    const ordered = fitting.toSorted((a, b) => Number(a.alone ?? false) - Number(b.alone ?? false));
    describe(setting.name, () => {
      for (const scenario of ordered)
        test(scenario.title, { concurrent: sideBySide && !scenario.alone }, async ({ onTestFinished }) => {
          const world = await open(setting, { whenOver: onTestFinished });
          const invariants = watch?.(world);
          await scenario.run(world);
          if (!scenario.harms) await invariants?.check();
          for (const each of world.asked) asked.add(each);
          expect(world.asked.filter(({ denied }) => denied)).toEqual([]);
        });
    });
  }
  return asked;
}
