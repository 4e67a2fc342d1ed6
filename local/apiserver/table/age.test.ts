import { expect, test } from "vitest";
import { ageOf, duration } from "./age.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const cases: [number, string][] = [
  [-2 * second, "<invalid>"],
  [-1 * second, "0s"],
  [0, "0s"],
  [119 * second, "119s"],
  [2 * minute, "2m"],
  [9 * minute + 59 * second, "9m59s"],
  [10 * minute + 59 * second, "10m"],
  [179 * minute, "179m"],
  [3 * hour, "3h"],
  [7 * hour + 59 * minute, "7h59m"],
  [8 * hour + 59 * minute, "8h"],
  [47 * hour, "47h"],
  [2 * day, "2d"],
  [7 * day + 23 * hour, "7d23h"],
  [8 * day + 23 * hour, "8d"],
  [729 * day, "729d"],
  [730 * day, "730d"],
];
for (const [milliseconds, expected] of cases) {
  test(`${milliseconds} ms is ${expected}`, () => expect(duration(milliseconds)).toBe(expected));
}

test("what has no timestamp has no age", () => {
  expect(ageOf(undefined, 0)).toBe("<unknown>");
  expect(ageOf("1970-01-01T00:00:00Z", 5 * second)).toBe("5s");
});
