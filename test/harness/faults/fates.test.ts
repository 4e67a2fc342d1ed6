import { describe, expect, test } from "vitest";
import { seededRandom } from "../../../eventing/random.ts";
import { subscribers } from "../../../eventing/testing/subscribers.ts";
import { virtualClock } from "../../../local/time/testing/virtual-clock.ts";
import { randomFate, slowed } from "./fates.ts";

describe("random fates", () => {
  const fates = (rates: Parameters<typeof randomFate>[0], draw = 1) => {
    const fate = randomFate(rates, seededRandom(draw));
    return Array.from({ length: 1000 }, fate);
  };

  test("strike as often as asked", () => {
    const drawn = fates({ drop: 0.2, duplicate: 0.1, delay: 0.5, longestDelay: 100 });
    const lost = drawn.filter((fate) => fate.length === 0).length;
    const doubled = drawn.filter((fate) => fate.length === 2).length;
    const delays = drawn.flat().filter((ms) => ms > 0);
    expect(lost).toBeGreaterThan(150);
    expect(lost).toBeLessThan(250);
    expect(doubled).toBeGreaterThan(50);
    expect(doubled).toBeLessThan(110);
    expect(delays.length).toBeGreaterThan(300);
    expect(Math.max(...delays)).toBeLessThanOrEqual(100);
  });

  test("never strike when not asked", () => expect(fates({})).toEqual(Array(1000).fill([0])));

  test("repeat with the same random numbers", () => {
    const rates = { drop: 0.3, duplicate: 0.3, delay: 0.3 };
    expect(fates(rates, 5)).toEqual(fates(rates, 5));
    expect(fates(rates, 5)).not.toEqual(fates(rates, 6));
  });
});

test("a slow subscriber is reached later, others at once", async () => {
  const clock = virtualClock();
  const { send, arrivals } = subscribers(clock);
  const slow = slowed(send, clock, (url) => (url.includes("slow") ? 700 : 0));
  void slow("http://slow", { headers: {}, body: "" });
  void slow("http://fast", { headers: {}, body: "" });
  await clock.advance(1000);
  expect(arrivals.map(({ url, at }) => [url, at])).toEqual([
    ["http://fast", 0],
    ["http://slow", 700],
  ]);
});
