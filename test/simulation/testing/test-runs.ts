import { describe, test } from "vitest";
import type { System } from "../system.ts";
import { holds } from "./holds.ts";
import { fixed, fresh } from "./numbers.ts";
import { patience } from "./patience.ts";

/** Tests that the scenarios of a system hold: in rough runs, without a sweep, and by sweeps alone. */
export function testRuns({ name, scenarios }: System): void {
  console.log(`Simulation of ${name}: fresh number ${fresh}; npm run simulate -- --seed ${fresh} runs it again.`);
  describe.each(scenarios.map((scenario) => ({ name: scenario.name, scenario })))("$name", patience, ({ scenario }) => {
    test.each([...fixed, fresh])("holds whatever goes wrong in run %i", (number) =>
      holds({ scenario, number, rough: true }),
    );

    test.runIf(!scenario.waits)("comes to its end without a sweep when nothing goes wrong", () =>
      holds({ scenario, number: 1, rough: false }),
    );

    test("comes to its end by sweeps alone when every event is lost", () =>
      holds({ scenario, number: 3, rough: false, loseAllEvents: true }));
  });
}
