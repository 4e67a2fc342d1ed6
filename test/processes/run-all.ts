import { describe } from "vitest";
import type { Backend } from "../harness/backend.ts";
import { whileTestsRun } from "../harness/while-tests-run.ts";
import { bySweepsAlone } from "../scenarios/by-sweeps-alone.ts";
import * as protection from "../scenarios/pvc-protection/invariants.ts";
import { scenarios as ofProtection } from "../scenarios/pvc-protection/scenarios.ts";
import { beside } from "../scenarios/pvc-protection/settings.ts";
import * as retention from "../scenarios/pvc-retention/invariants.ts";
import { scenarios as ofRetention } from "../scenarios/pvc-retention/scenarios.ts";
import { byDefault } from "../scenarios/pvc-retention/settings.ts";
import { runScenarios } from "../scenarios/run-scenarios.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { scenarios as ofUndelete } from "../scenarios/undelete/scenarios.ts";
import { shipped } from "../scenarios/undelete/settings.ts";

/** Milliseconds between two sweeps of `npm start -- --lose-all-events`. */
const everyOther = 2_000;

/**
 * Runs every scenario that is seen from outside with functions that are processes: with sources of changes, and by
 * sweeps alone. `start`: begins such worlds. `functionsMayGo`: whether the cluster stays without them. `part`: of all,
 * those that run.
 */
export function runAll(
  start: (options: { bySweepsAlone: boolean }) => Promise<Backend>,
  { functionsMayGo, part }: { functionsMayGo: boolean; part: (all: readonly Scenario[]) => readonly Scenario[] },
): void {
  const seenFromOutside = (all: readonly Scenario[]) =>
    part(all.filter(({ within, takes }) => !within && takes === undefined));
  const protecting = seenFromOutside(ofProtection);
  const retaining = seenFromOutside(ofRetention).filter(({ absent }) => !absent);
  // What sweeps by hand there is for worlds that let it; so nothing of it waits for a due time.
  const undeleting = seenFromOutside(ofUndelete).filter(
    ({ alone, settings = [shipped] }) => !alone && settings.includes(shipped),
  );
  // Functions that come back find what there is by the sweep.
  const returning = functionsMayGo ? seenFromOutside(ofRetention).filter(({ absent }) => absent) : [];
  const swept = {
    protection: bySweepsAlone(protecting, beside, everyOther),
    retention: bySweepsAlone([...retaining, ...returning], byDefault, everyOther),
    undelete: bySweepsAlone(undeleting, shipped, everyOther),
  };
  describe("with sources of changes", () => {
    const runner = { ...whileTestsRun(() => start({ bySweepsAlone: false })), sideBySide: true };
    runScenarios(protecting, [beside], { ...runner, watch: protection.watchInvariants });
    runScenarios(retaining, [byDefault], { ...runner, watch: retention.watchInvariants });
    runScenarios(undeleting, [shipped], runner);
  });
  describe("without any", () => {
    const runner = { ...whileTestsRun(() => start({ bySweepsAlone: true })), sideBySide: true };
    runScenarios(swept.protection.scenarios, [swept.protection.setting], {
      ...runner,
      watch: protection.watchInvariants,
    });
    runScenarios(swept.retention.scenarios, [swept.retention.setting], { ...runner, watch: retention.watchInvariants });
    runScenarios(swept.undelete.scenarios, [swept.undelete.setting], runner);
  });
}
