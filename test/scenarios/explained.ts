import type { WhenOver } from "../worlds/bench.ts";
import { timePasses } from "../worlds/time-passes.ts";
import type { Setting, World } from "../worlds/world.ts";
import { type Explained, explainer, proveExplanations } from "./explainer.ts";
import { rulesOf } from "./installed-rules.ts";

/** A world in which everything that waits is explained whenever the scenario has let time pass. */
function withExplanations(world: World, seen: Explained[]): World {
  const { transport, clock, systems, setting } = world;
  const { installed } = rulesOf(setting);
  const passes = <T>(promise: Promise<T>) => timePasses(world, "it is explained", promise);
  const { explainAll } = explainer({ transport, clock, systems, installed, passes }, seen);
  return {
    ...world,
    eventually: async (...waiting) => {
      const value = await world.eventually(...waiting);
      await explainAll();
      return value;
    },
    rest: async () => {
      await world.rest();
      await explainAll();
    },
  };
}

/**
 * Opens worlds in which whatever waits in one setting is explained by its cause, and proves that the explanations are
 * worth something; `prove` comes after the scenarios. Other settings decide alike, and would cost as much again.
 */
export function explaining(
  open: (setting: Setting, test: { whenOver: WhenOver }) => Promise<World>,
  explained: Setting,
) {
  const seen: Explained[] = [];
  return {
    open: async (...how: Parameters<typeof open>) => {
      const world = await open(...how);
      return world.setting === explained ? withExplanations(world, seen) : world;
    },
    prove: () => proveExplanations(seen),
  };
}
