import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readTime } from "./read-time.ts";

describe("readTime", () => {
  test.each([
    ["2030-01-31T12:00:00Z", "2030-01-31T12:00:00.000Z"],
    ["2030-01-31T12:00:00.25Z", "2030-01-31T12:00:00.250Z"],
    ["2030-01-31T12:00:00+02:00", "2030-01-31T10:00:00.000Z"],
    ["2030-01-31 12:00:00z", "2030-01-31T12:00:00.000Z"],
    [" 2030-01-31t12:00:00Z\n", "2030-01-31T12:00:00.000Z"],
  ])("reads %j", (text, time) => expect(readTime(text)).toBe(Date.parse(time)));

  // Of each of these but the last few Date.parse makes a time, most of them long past.
  test.each([
    ...["1", "+7", "never 1", "keep until 5", "2026", "2030-01-31", "2030/01/31", "1.2.2030", "2030-01-31T12:00:00"],
    ...["2030-02-30T00:00:00Z", "2030-01-31T24:00:00Z", "+002030-01-31T12:00:00Z"],
    ...["", "yes", "24h", "2030-01-31T12:00:00+25:61", "2030-13-01T00:00:00Z", "1893456000"],
  ])("does not read %j", (text) => expect(readTime(text)).toBeNaN());

  test("reads what Kubernetes and JavaScript write", () => {
    const times = fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true });
    fc.assert(fc.property(times, (time) => readTime(time.toISOString()) === time.getTime()));
  });
});
