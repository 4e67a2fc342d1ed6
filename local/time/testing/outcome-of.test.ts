import { expect, test } from "vitest";
import { outcomeOf } from "./outcome-of.ts";
import { virtualClock } from "./virtual-clock.ts";

test("time passes until a promise has settled, and its outcome is given out", async () => {
  const clock = virtualClock(0);
  expect(await outcomeOf(clock, Promise.resolve("at once"), 1000)).toBe("at once");
  expect(clock.now()).toBe(0);
  expect(
    await outcomeOf(
      clock,
      clock.sleep(300).then(() => "later"),
      1000,
    ),
  ).toBe("later");
  expect(clock.now()).toBe(300);
  const failing = clock.sleep(100).then(() => Promise.reject(new Error("It failed.")));
  await expect(outcomeOf(clock, failing, 1000)).rejects.toThrow("It failed.");
});

test("what does not settle in time fails, and says so", async () => {
  const clock = virtualClock(0);
  const never = new Promise(() => {});
  await expect(outcomeOf(clock, never, 2000)).rejects.toThrow("Nothing came of it within 2 s of virtual time.");
  expect(clock.now()).toBe(2000);
});
