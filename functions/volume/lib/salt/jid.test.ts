import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isJid, newJid } from "./jid.ts";

test("an id is the second, in UTC, and six random digits", () => {
  const now = Date.parse("2026-11-22T10:30:05.678Z");
  expect(newJid(now, () => 0)).toBe("20261122103005000000");
  expect(newJid(now, () => 0.9999999)).toBe("20261122103005999999");
  expect(newJid(now, () => 0.000042)).toBe("20261122103005000042");
});

test("every id has the form of Salt's own, and is later in a later second", () => {
  const moment = fc.date({ min: new Date("2020-01-01"), max: new Date("9000-01-01"), noInvalidDate: true });
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(moment, chance, chance, (date, one, other) => {
      const [first, second] = [newJid(date.getTime(), () => one), newJid(date.getTime() + 1000, () => other)];
      expect(isJid(first)).toBe(true);
      expect(first < second).toBe(true);
    }),
  );
});

test.each([
  "",
  "abc",
  "../../x",
  "2026112210300500000",
  "202611221030050000001",
  "2026112210300500000\n",
  "٢0261122103005000000",
])("%o is none", (text) => expect(isJid(text)).toBe(false));
