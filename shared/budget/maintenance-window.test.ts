import { expect, test } from "vitest";
import { timeZone, windowAt, windowLength, windowSchedule } from "./maintenance-window.ts";

const at = (text: string) => Date.parse(text);

test.each([
  ["before it opens", "2026-01-05T20:59:00Z", "2026-01-05T21:00:00Z"],
  ["as it opens", "2026-01-05T21:00:00Z", "2026-01-05T21:00:00Z"],
  ["while it is open", "2026-01-06T00:30:00Z", "2026-01-05T21:00:00Z"],
  ["when it has closed", "2026-01-06T01:00:00Z", "2026-01-06T21:00:00Z"],
  ["in summer, when the zone's clock is ahead", "2026-07-06T20:30:00Z", "2026-07-06T20:00:00Z"],
])("a window of each evening in Berlin, %s", (_, now, begins) =>
  expect(windowAt("0 22 * * *", "4h", "Europe/Berlin", at(now))).toBe(at(begins)),
);

test("without a schedule there is always one", () => expect(windowAt("", "4h", "UTC", 5)).toBe(5));

test("what cannot be read is refused", () => {
  for (const wrong of ["0 22 * *", "61 * * * *", "never", "0 0 31 2 *"])
    expect(windowSchedule.safeParse(wrong).success).toBe(false);
  expect(timeZone.safeParse("Europe/Bonn").success).toBe(false);
  expect([windowLength.safeParse("0h").success, windowLength.safeParse("4h").success]).toEqual([false, true]);
});
