import { expect, test } from "vitest";
import { isLabelKey, isLabelValue } from "./label-syntax.ts";

const long = "a".repeat(63);

test.each([
  ["zone", true],
  ["a.B_c-1", true],
  [`${long}/${long}`, true],
  [`${`${long}.`.repeat(3)}${long}/a`, false],
  ["example.com/zone", true],
  ["Example.com/zone", false],
  ["", false],
  ["/zone", false],
  ["example.com/", false],
  ["a/b/c", false],
  ["-zone", false],
  ["zone_", false],
  ["zo ne", false],
  [`${long}a`, false],
])("%j is the key of a label: %j", (key, expected) => expect(isLabelKey(key)).toBe(expected));

test.each([
  ["", true],
  ["a.B_c-1", true],
  [long, true],
  [`${long}a`, false],
  ["-1", false],
  ["1-", false],
  ["a b", false],
  ["a/b", false],
  ["a\n", false],
])("%j is the value of a label: %j", (value, expected) => expect(isLabelValue(value)).toBe(expected));
