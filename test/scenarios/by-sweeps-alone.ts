import type { Setting } from "../harness/cluster.ts";
import type { Scenario } from "./scenario.ts";

/**
 * A setting in which no source of changes runs, and the scenarios of another one that run in it: those that are seen
 * from outside. `every`: milliseconds between two sweeps, where the cluster does not have a schedule of its own.
 */
export function bySweepsAlone(scenarios: readonly Scenario[], setting: Setting, every: number) {
  const swept: Setting = {
    ...setting,
    name: `${setting.name}, by sweeps alone`,
    bySweepsAlone: every,
    // A tick that naps for one scenario's sake must not keep the others waiting.
    environment: { ...setting.environment, "platform-sweep": { TICK: String(Math.max(2, Math.floor(every / 1000))) } },
  };
  const chosen = scenarios
    .filter(({ within, byEventsOnly, settings }) => !within && !byEventsOnly && (settings?.includes(setting) ?? true))
    .map((scenario): Scenario => ({ ...scenario, settings: [swept] }));
  return { setting: swept, scenarios: chosen };
}
