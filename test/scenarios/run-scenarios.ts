import { describe, expect, test } from "vitest";
import type { AccountRequest } from "../harness/account-request.ts";
import type { Cluster, Setting } from "../harness/cluster.ts";
import type { WhenOver } from "../harness/open-namespace.ts";
import type { Scenario } from "./scenario.ts";

interface Runner {
  /** A cluster in this setting, for one test. */
  open(setting: Setting, test: { whenOver: WhenOver }): Promise<Cluster>;
  /** Begins to watch what must hold all the time; absent where the simulation alone does. */
  watch?(cluster: Cluster): { check(): Promise<void> };
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
): ReadonlySet<AccountRequest> {
  const asked = new Set<AccountRequest>();
  for (const setting of settings) {
    const fitting = scenarios.filter((scenario) => scenario.settings?.includes(setting) ?? true);
    if (fitting.length === 0) continue;
    // Those that run by themselves come last: vitest runs neighbours side by side.
    const ordered = fitting.toSorted((a, b) => Number(a.alone ?? false) - Number(b.alone ?? false));
    describe(setting.name, () => {
      for (const scenario of ordered)
        test(scenario.title, { concurrent: sideBySide && !scenario.alone }, async ({ onTestFinished }) => {
          const cluster = await open(setting, { whenOver: onTestFinished });
          const invariants = watch?.(cluster);
          await scenario.run(cluster);
          if (!scenario.harms) await invariants?.check();
          for (const each of cluster.asked) asked.add(each);
          expect(cluster.asked.filter(({ denied }) => denied)).toEqual([]);
        });
    });
  }
  return asked;
}
