import { describe, expect, test } from "vitest";
import { find } from "../broken/find.ts";
import type { System } from "../system.ts";
import { patience } from "./patience.ts";

/**
 * Tests that the simulation finds every broken function of a system, in the runs that it is given, and that each invariant and
 * each end of the system is there for something: that it finds at least one, unless another test shows that it can fail.
 */
export function testBroken({ broken, invariants, ends }: System): void {
  describe("a broken function", patience, () => {
    const finders = new Set<string>();

    test("is called by a name of its own", () => {
      expect(new Set(broken.map(({ name }) => name)).size).toBe(broken.length);
    });

    test.each(broken.map((one) => ({ name: one.name, within: one.within, one })))(
      "$name is found within $within runs",
      async ({ one }) => {
        const found = await find(one);
        expect(found, `${one.doc} Not found in ${one.within} runs.`).toBeDefined();
        if (found) finders.add(found.failure.name);
      },
    );

    const finding = [...invariants.filter(({ shownBy }) => !shownBy), ...ends];
    test.each(finding.map(({ name }) => name))("is found by %s", (name) => {
      expect([...finders]).toContain(name);
    });
  });
}
