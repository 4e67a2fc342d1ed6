import { describe, test } from "vitest";
import type { System } from "../system.ts";
import { holds } from "./holds.ts";
import { fixed, fresh } from "./numbers.ts";
import { patience } from "./patience.ts";

/**
 * Tests that the scenarios of a system hold: in runs with faults, after an outage, without a sweep, and by sweeps
 * alone. Where there are many of them, `oneIn` has every nth of these runs run, others each time; all of them by
 * `npm run simulate`.
 */
export function testRuns({ name, scenarios }: System, { oneIn = 1 } = {}): void {
  let count = fresh;
  const isChosen = () => count++ % oneIn === 0;
  const numbers = oneIn === 1 ? [...fixed, fresh] : [fresh];
  console.log(`Simulation of ${name}: fresh number ${fresh}; npm run simulate -- --seed ${fresh} runs it again.`);
  describe.each(scenarios.map((scenario) => ({ name: scenario.name, scenario })))("$name", patience, ({ scenario }) => {
    test.each(numbers.filter(isChosen))("holds with the faults of run %i", (number) =>
      holds({ scenario, number, faults: true }),
    );

    test.runIf(isChosen() && !scenario.waits)("comes to its end without a sweep when nothing goes wrong", () =>
      holds({ scenario, number: 1, faults: false }),
    );

    test.runIf(isChosen())("comes to its end within two sweeps of an outage, and an object names what is away", () =>
      holds({ scenario, number: fresh, faults: false, outage: true }),
    );

    test.runIf(isChosen())("comes to its end by sweeps alone when every event is lost", () =>
      holds({ scenario, number: 3, faults: false, loseAllEvents: true }),
    );
  });
}
