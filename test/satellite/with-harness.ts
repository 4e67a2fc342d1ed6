import { afterEach, beforeEach, expect } from "vitest";
import { outcomeOf } from "../../local/time/testing/outcome-of.ts";
import type { AccountRequest } from "../harness/account-request.ts";
import { type Explained, explainer } from "../scenarios/explainer.ts";
import { type Administrator, administratorOf } from "./administrator.ts";
import { type HarnessOptions, openSatelliteHarness, type SatelliteHarness } from "./harness.ts";
import { watchInvariants } from "./invariants.ts";
import { rules } from "./rules.ts";

/** A harness in which everything that waits is explained by its cause whenever the test has waited for something. */
function withExplanations(harness: SatelliteHarness, options: HarnessOptions, seen: Explained[]): SatelliteHarness {
  const { transport, clock, systems } = harness;
  const installed = rules.map((rule) => ({ rule, environment: options.environment ?? {} }));
  const passes = <T>(promise: Promise<T>) => outcomeOf(clock, promise, 600_000);
  const { explainAll } = explainer({ transport, clock, systems, installed, passes }, seen);
  return {
    ...harness,
    until: async (...waiting) => {
      await harness.until(...waiting);
      await explainAll();
    },
  };
}

/** The harness of the test that runs. */
export let harness: SatelliteHarness;
/** Its administrator. */
export let admin: Administrator;

/**
 * Gives each test of the file or `describe` it is called in a harness of its own, with an administrator. Each write of
 * a rule is watched, and none may have failed for good in the end. What waits is explained, to `seen`. Returns what
 * rules have asked of the API server, as far as the tests have run.
 */
export function withHarness(options: HarnessOptions = {}, seen: Explained[] = []): ReadonlySet<AccountRequest> {
  const asked = new Set<AccountRequest>();
  beforeEach(async () => {
    harness = withExplanations(await openSatelliteHarness(options), options, seen);
    watchInvariants(harness);
    admin = administratorOf(harness);
  });
  afterEach(async () => {
    await harness.stop();
    for (const each of harness.requests) asked.add(each);
    expect(harness.failures).toEqual([]);
  });
  return asked;
}
