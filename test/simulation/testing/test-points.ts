import { describe, expect, test } from "vitest";
import { pointsOf } from "../points.ts";
import type { System } from "../system.ts";
import { holds } from "./holds.ts";
import { fresh } from "./numbers.ts";
import { patience } from "./patience.ts";

/**
 * Of the points of a scenario every nth is tried here, others each time; all of them by
 * `npm run simulate -- --exhaustive`.
 */
const usual = 60;

/**
 * Tests that the scenarios of a system hold with any fault of a single request. Where there are many of them,
 * `oneScenarioIn` has every nth tried, others each time.
 */
export function testPoints({ scenarios }: System, oneIn = usual, oneScenarioIn = 1): void {
  const chosen = scenarios.filter((_, index) => index % oneScenarioIn === fresh % oneScenarioIn);
  describe.each(chosen.map((scenario) => ({ name: scenario.name, scenario })))("$name", patience, ({ scenario }) => {
    test(`holds at one in ${oneIn} of its points, from the ${fresh % oneIn}th on`, async () => {
      const points = await pointsOf(scenario, 1);
      expect(points.length).toBeGreaterThan(0);
      // A short scenario has fewer points than that: one of them is tried.
      const every = Math.min(oneIn, points.length);
      for (const point of points.filter((_, index) => index % every === fresh % every))
        await holds({ scenario, number: 1, faults: false, point });
    });
  });
}
