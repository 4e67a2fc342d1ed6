import { expect, test } from "vitest";
import { readGoDuration } from "./go-duration.ts";

// Rows of the table in Go's time_test.go.
test.each<[string | undefined, number | undefined]>([
  ["0", 0],
  ["5s", 5000],
  ["30s", 30_000],
  ["1478s", 1_478_000],
  ["5.0s", 5000],
  ["5.6s", 5600],
  ["5.s", 5000],
  [".5s", 500],
  ["1.004s", 1004],
  ["10ns", 1e-5],
  ["11us", 0.011],
  ["12µs", 0.012],
  ["13ms", 13],
  ["3h30m", 12_600_000],
  ["10.5s4m", 250_500],
  ["39h9m14.425s", 140_954_425],
  ["", undefined],
  [undefined, undefined],
  ["3", undefined],
  ["-5s", undefined],
  ["s", undefined],
  [".s", undefined],
  ["3000d", undefined],
  ["1h ", undefined],
])("the Go duration %j is %j ms", (text, milliseconds) => {
  const read = readGoDuration(text);
  if (milliseconds === undefined) expect(read).toBeUndefined();
  else expect(read).toBeCloseTo(milliseconds, 9);
});
