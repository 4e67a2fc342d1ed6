import { expect, test } from "vitest";
import { relativeTime } from "./relative-time.ts";

test.each([
  [0, "now"],
  [-1_000, "1 second ago"],
  [-59_999, "59 seconds ago"],
  [-60_000, "1 minute ago"],
  [-3 * 86_400_000, "3 days ago"],
  [2 * 3_600_000, "in 2 hours"],
])("%d milliseconds from now: %s", (distance, words) => expect(relativeTime(1e12 + distance, 1e12)).toBe(words));
