import { expect, test } from "vitest";
import { seededRandom } from "../../../eventing/random.ts";
import { virtualClock } from "./virtual-clock.ts";

test("sleepers wake in the order of their times; where these are equal, in the order in which they began", async () => {
  const clock = virtualClock(0);
  const woken: string[] = [];
  const sleep = (name: string, ms: number) => clock.sleep(ms).then(() => void woken.push(`${name}@${clock.now()}`));
  void sleep("late", 300);
  void sleep("early", 100);
  void sleep("also early", 100);
  await clock.advance(250);
  expect(woken).toEqual(["early@100", "also early@100"]);
  expect(clock.now()).toBe(250);
  await clock.advance(50);
  expect(woken.at(-1)).toBe("late@300");
});

test("what a sleeper starts comes to rest before the next one wakes", async () => {
  const clock = virtualClock(0);
  const seen: string[] = [];
  void clock.sleep(100).then(async () => {
    for (let i = 0; i < 50; i++) await Promise.resolve();
    seen.push("consequence");
    await clock.sleep(1);
    seen.push("later consequence");
  });
  void clock.sleep(102).then(() => seen.push("next"));
  await clock.advance(200);
  expect(seen).toEqual(["consequence", "later consequence", "next"]);
});

test("a sleep that is aborted rejects with the reason and resolves nothing later", async () => {
  const clock = virtualClock(0);
  const abort = new AbortController();
  const sleep = clock.sleep(100, abort.signal);
  abort.abort(new Error("Enough."));
  await expect(sleep).rejects.toThrow("Enough.");
  await expect(clock.sleep(100, abort.signal)).rejects.toThrow("Enough.");
  await clock.advance(1000);
});

test("runUntil stops at the moment when it comes true, or after its time", async () => {
  const clock = virtualClock(0);
  let done = false;
  void clock.sleep(500).then(() => {
    done = true;
  });
  expect(await clock.runUntil(() => done, 10_000)).toBe(true);
  expect(clock.now()).toBe(500);
  expect(await clock.runUntil(() => false, 10_000)).toBe(false);
  expect(clock.now()).toBe(10_500);
});

test("the same seed gives the same sequence, another seed another", () => {
  const draw = (seed: number) => {
    const random = seededRandom(seed);
    return [random.next(), random.below(1000), random.uuid()];
  };
  expect(draw(7)).toEqual(draw(7));
  expect(draw(7)).not.toEqual(draw(8));
  expect(draw(7)[2]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
