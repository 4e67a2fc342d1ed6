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
  [5, 5],
  ["", Number.NaN],
  ["1Zi", Number.NaN],
  ["x", Number.NaN],
])("%s is %d", (quantity, value) => expect(quantityValue(quantity)).toBe(value));
