import { expect, test } from "vitest";
import { quantityValue } from "./quantity.ts";

test.each([
  ["1", 1],
  ["1Gi", 1073741824],
  ["1.5Ki", 1536],
  ["1k", 1000],
  ["500m", 0.5],
  ["2e3", 2000],
  ["1E", 1e18],
  ["1E3", 1000],
  ["2.e-1", 0.2],
  ["-.5M", -500000],
  ["1001m", 1.001],
  [" 1Gi ", 1073741824],
  ["16Ei", 2 ** 63],
  ["-16Ei", -(2 ** 63)],
  ["16E", 16e18],
  [5, 5],
  ["", Number.NaN],
  ["1Zi", Number.NaN],
  ["x", Number.NaN],
  ["1e3k", Number.NaN],
  ["2e3Ki", Number.NaN],
  ["1.2.3", Number.NaN],
  ["Ki", Number.NaN],
  [".", Number.NaN],
])("%s is %d", (quantity, value) => expect(quantityValue(quantity)).toBe(value));
