import { describe, expect, test } from "vitest";
import { find } from "../mutants/find.ts";
import type { System } from "../system.ts";
import { patience } from "./patience.ts";

/**
 * Tests that the simulation finds every mutant of a system, in the runs that it is given, and that each invariant and
 * each liveness check of the system is there for something: that it finds at least one, unless another test shows that
 * it can fail.
 */
export function testMutants({ mutants, invariants, liveness }: System): void {
  describe("a mutant", patience, () => {
    const finders = new Set<string>();

    test("is called by a name of its own", () =>
      expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length));

    test.each(mutants.map((one) => ({ name: one.name, within: one.within, one })))(
      "$name is found within $within runs",
      async ({ one }) => {
        const found = await find(one);
        expect(found, `${one.doc} Not found in ${one.within} runs.`).toBeDefined();
        if (found) finders.add(found.failure.name);
      },
    );

    const finding = [...invariants.filter(({ shownBy }) => !shownBy), ...liveness];
    test.each(finding.map(({ name }) => name))("is found by %s", (name) => expect([...finders]).toContain(name));
  });
}
