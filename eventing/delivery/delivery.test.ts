import { describe, expect, test } from "vitest";
import { parseIsoDuration } from "./iso-duration.ts";
import { policyFor } from "./policy.ts";

describe("durations", () => {
  test.each([
    ["PT0.2S", 200],
    ["PT1S", 1000],
    ["PT1M30S", 90_000],
    ["P1DT1H", 90_000_000],
    ["P1W", 604_800_000],
    ["PT0S", 0],
    ["P", undefined],
    ["PT", undefined],
    ["1s", undefined],
    ["P1Y", undefined],
    ["-PT1S", undefined],
  ])("%s is %s ms", (text, ms) => expect(parseIsoDuration(text)).toBe(ms));
});

describe("the policy of a Trigger", () => {
  const waits = (policy: ReturnType<typeof policyFor>) =>
    Array.from({ length: policy.retry }, (_, retry) => policy.wait(retry));

  test("doubles an exponential delay without a cap", () =>
    expect(waits(policyFor({ retry: 5, backoffPolicy: "exponential", backoffDelay: 500 }, undefined))).toEqual([
      500, 1000, 2000, 4000, 8000,
    ]));
  test("retries at once the first time when linear", () =>
    expect(waits(policyFor({ retry: 3, backoffPolicy: "linear", backoffDelay: 500 }, undefined))).toEqual([
      0, 500, 1000,
    ]));
  test("does not wait at all without a delay or without a policy", () => {
    expect(waits(policyFor({ retry: 2, backoffPolicy: "exponential" }, undefined))).toEqual([0, 0]);
    expect(waits(policyFor({ retry: 2, backoffDelay: 500 }, undefined))).toEqual([0, 0]);
  });
  test("is not merged with the Broker's: what it leaves out is not there", () => {
    const broker = { retry: 5, backoffPolicy: "exponential", backoffDelay: 500, timeout: 100 } as const;
    expect(waits(policyFor({ timeout: 1000 }, broker))).toEqual([]);
    expect(policyFor({ timeout: 1000 }, broker).timeout).toBe(1000);
    expect(waits(policyFor(undefined, broker))).toHaveLength(5);
    expect(policyFor({}, broker)).not.toHaveProperty("timeout");
  });
  test("is Knative's default where neither has one: 10 retries in 205 s", () => {
    const all = waits(policyFor(undefined, undefined));
    expect(all).toHaveLength(10);
    expect(all.reduce((sum, wait) => sum + wait)).toBe(204_600);
  });
  test("takes the format from the Trigger alone", () => {
    expect(policyFor(undefined, { format: "json" })).not.toHaveProperty("format");
    expect(policyFor({ format: "json" }, undefined).format).toBe("json");
  });
});
