import { describe, expect, test } from "vitest";
import { broken } from "./broken/all.ts";
import { find } from "./broken/find.ts";
import { pointsOf } from "./exhaustive.ts";
import { scenarioNamed, scenarios } from "./scenarios/scenarios.ts";
import { shrink } from "./shrink.ts";
import { type RunSpec, simulate } from "./simulate.ts";

/** Numbers that are run every time, and some that nobody has seen yet. */
const fixed = [1, 2];
const fresh = [Math.floor(Math.random() * 1_000_000_000)];
console.log(`Simulation: fresh number ${fresh}; npm run simulate -- --seed ${fresh} runs it again.`);
/** Of the points of a scenario every so manieth is tried here, another each time; all of them by `npm run simulate -- --exhaustive`. */
const everyPoint = 12;

const patience = { timeout: 120_000 };

/** Fails with the whole story. */
async function holds(spec: RunSpec): Promise<void> {
  const { failure, trace } = await simulate(spec);
  if (failure) expect.fail([`Run ${spec.number} of ${spec.scenario.name} fails.`, ...trace.slice(-60)].join("\n"));
}

describe.each(scenarios.map((scenario) => ({ name: scenario.name, scenario })))(
  "$name",
  { ...patience },
  ({ scenario }) => {
    test.each([...fixed, ...fresh])("holds whatever goes wrong in run %i", (number) =>
      holds({ scenario, number, rough: true }),
    );

    test("comes to its end without a sweep when nothing goes wrong", () =>
      holds({ scenario, number: 1, rough: false }));

    test("comes to its end by sweeps alone when every event is lost", () =>
      holds({ scenario, number: 3, rough: false, loseAllEvents: true }));

    test(`holds at one in ${everyPoint} of its points`, async () => {
      const points = await pointsOf(scenario, 1);
      expect(points.length).toBeGreaterThan(everyPoint);
      const offset = (fresh[0] ?? 0) % everyPoint;
      for (const point of points.filter((_, index) => index % everyPoint === offset))
        await holds({ scenario, number: 1, rough: false, point });
    });
  },
);

describe("a broken function", patience, () => {
  test("there are at least fifteen", () => {
    expect(broken.length).toBeGreaterThanOrEqual(15);
    expect(new Set(broken.map(({ name }) => name)).size).toBe(broken.length);
  });

  test.each(broken.map((one) => ({ name: one.name, within: one.within, one })))(
    "$name is found within $within runs",
    async ({ one }) => {
      const found = await find(one);
      expect(found, `${one.doc} Not found in ${one.within} runs.`).toBeDefined();
      expect(found?.runs).toBeLessThanOrEqual(one.within);
    },
  );
});

describe("a run", patience, () => {
  test("is the same, byte by byte, when it is run again", async () => {
    const spec = { scenario: scenarioNamed("many-claims"), number: 7, rough: true };
    const first = await simulate(spec);
    const second = await simulate(spec);
    expect(first.struck.length).toBeGreaterThan(0);
    expect(second.trace.join("\n")).toBe(first.trace.join("\n"));
  });

  test("is another one under another number", async () => {
    const scenario = scenarioNamed("many-claims");
    const [one, other] = await Promise.all([7, 8].map((number) => simulate({ scenario, number, rough: false })));
    expect(one?.trace.join("\n")).not.toBe(other?.trace.join("\n"));
  });

  test("that fails tells its story, and a shorter one that fails alike", async () => {
    const careless = broken.find(({ name }) => name === "ours-before-in-tree");
    if (!careless) throw new Error("There is no such broken function.");
    const scenario = scenarioNamed("deleted-while-used");
    const starters = { [careless.rule]: careless.start };
    for (let number = 1; ; number++) {
      const spec = { scenario, number, rough: true, starters };
      const failing = await simulate(spec);
      if (failing.failure?.name !== "after-in-tree" || failing.struck.length === 0) continue;
      expect(failing.trace.at(-1)).toContain("after-in-tree: Claim data lost holdfast.dev/pvc-protection");
      const { result, without } = await shrink(spec, failing);
      expect(result.failure?.name).toBe("after-in-tree");
      expect(result.struck.length).toBeLessThan(failing.struck.length);
      expect(without.size).toBeGreaterThan(0);
      return;
    }
  });
});
