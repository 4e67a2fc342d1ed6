import { describe, expect, test } from "vitest";
import { matchesLabelSelector } from "./label-selector.ts";

describe("a label selector", () => {
  const labels = { tier: "db", size: "5" };
  test.each([
    [{}, true],
    [{ matchLabels: { tier: "db" } }, true],
    [{ matchLabels: { tier: "web" } }, false],
    [{ matchExpressions: [{ key: "tier", operator: "In", values: ["web", "db"] }] }, true],
    [{ matchExpressions: [{ key: "zone", operator: "In", values: ["a"] }] }, false],
    [{ matchExpressions: [{ key: "zone", operator: "NotIn", values: ["a"] }] }, true],
    [{ matchExpressions: [{ key: "tier", operator: "Exists" }] }, true],
    [{ matchExpressions: [{ key: "tier", operator: "DoesNotExist" }] }, false],
    [{ matchLabels: { tier: "db" }, matchExpressions: [{ key: "zone", operator: "Exists" }] }, false],
    [{ matchExpressions: [{ key: "tier", operator: "Nonsense" }] }, false],
    [{ matchExpressions: [{ key: "toString", operator: "Exists" }] }, false],
    [{ matchLabels: { size: "5" }, matchExpressions: [{ key: "size", operator: "In", values: ["5"] }] }, true],
  ])("%j: %s", (selector, matches) => expect(matchesLabelSelector(selector, labels)).toBe(matches));
});
