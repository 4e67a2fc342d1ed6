import { expect, test } from "vitest";
import { conditionWrites } from "./satellite.ts";
import { aSatellite, now } from "./testing/seen.ts";

const wanted = { type: "Configured", status: "True", reason: "AsExpected", message: "All is well." } as const;
const seen = (observedGeneration: number) => {
  const condition = { ...wanted, lastTransitionTime: "2025-12-31T00:00:00Z", observedGeneration };
  return { ...aSatellite(), status: { conditions: [condition] } };
};

test("a condition that is still true of a later generation says so, because others wait for it", () => {
  const [write] = conditionWrites(seen(1), [wanted], now);
  expect(write).toMatchObject({
    patch: { status: { conditions: [{ observedGeneration: 2, lastTransitionTime: "2025-12-31T00:00:00Z" }] } },
  });
});

test("one that says so already is not written", () => {
  expect(conditionWrites(seen(2), [wanted], now)).toEqual([]);
});
