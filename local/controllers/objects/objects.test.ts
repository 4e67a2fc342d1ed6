import { describe, expect, it } from "vitest";
import { type Condition, withConditions } from "./condition.ts";
import { matchesLabels } from "./label-selector.ts";
import type { NodeObject } from "./node.ts";
import { matchesNode } from "./node-selector.ts";
import { quantity } from "./quantity.ts";
import { tolerates } from "./toleration.ts";

describe("quantity", () => {
  it.each([
    ["1Gi", 1_073_741_824],
    ["1.5Ki", 1536],
    ["500M", 500_000_000],
    ["1e3", 1000],
    ["2E", 2e18],
    ["250m", 0.25],
    ["110", 110],
    [7, 7],
    ["", 0],
    [undefined, 0],
    ["1Zi", 0],
    ["Gi", 0],
  ])("reads %j as %d", (text, value) => {
    expect(quantity(text)).toBe(value);
  });
});

describe("matchesLabels", () => {
  const labels = { tier: "db", size: "5" };
  it.each([
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
  ])("%j: %s", (selector, matches) => {
    expect(matchesLabels(selector, labels)).toBe(matches);
  });
});

describe("matchesNode", () => {
  const node = { metadata: { name: "one", labels: { zone: "a", cores: "8" } } } as unknown as NodeObject;
  const zone = (value: string) => ({ matchExpressions: [{ key: "zone", operator: "In", values: [value] }] });
  it.each([
    { what: "any of the terms", terms: [zone("b"), zone("a")], matches: true },
    { what: "none of the terms", terms: [zone("b")], matches: false },
    { what: "no terms", terms: [], matches: false },
    { what: "a term without requirements", terms: [{}], matches: false },
    {
      what: "a field",
      terms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["one"] }] }],
      matches: true,
    },
    {
      what: "all requirements of a term",
      terms: [{ ...zone("a"), matchFields: [{ key: "metadata.name", operator: "In", values: ["two"] }] }],
      matches: false,
    },
    {
      what: "a greater number",
      terms: [{ matchExpressions: [{ key: "cores", operator: "Gt", values: ["4"] }] }],
      matches: true,
    },
    {
      what: "a lesser number",
      terms: [{ matchExpressions: [{ key: "cores", operator: "Lt", values: ["4"] }] }],
      matches: false,
    },
  ])("$what: $matches", ({ terms, matches }) => {
    expect(matchesNode({ nodeSelectorTerms: terms }, node)).toBe(matches);
  });
});

describe("tolerates", () => {
  const taint = { key: "disk", value: "slow", effect: "NoSchedule" } as const;
  it.each([
    [[], false],
    [[{ key: "disk", value: "slow" }], true],
    [[{ key: "disk", operator: "Equal", value: "fast" }], false],
    [[{ key: "disk", operator: "Exists" }], true],
    [[{ key: "disk", operator: "Exists", effect: "NoExecute" }], false],
    [[{ operator: "Exists" }], true],
    [
      [
        { key: "net", operator: "Exists" },
        { key: "disk", value: "slow", effect: "NoSchedule" },
      ],
      true,
    ],
  ])("%j: %s", (tolerations, result) => {
    expect(tolerates(tolerations, taint)).toBe(result);
  });
});

describe("withConditions", () => {
  const before: Condition[] = [
    { type: "Ready", status: "True", reason: "Fine", lastTransitionTime: "then" },
    { type: "Other", status: "False", lastTransitionTime: "then" },
  ];
  it("answers the same list when nothing changes", () => {
    expect(withConditions(before, [{ type: "Ready", status: "True", reason: "Fine" }], "now")).toBe(before);
  });
  it("moves the time of transition only with the status", () => {
    expect(withConditions(before, [{ type: "Ready", status: "True", reason: "Better" }], "now")).toEqual([
      { type: "Ready", status: "True", reason: "Better", lastTransitionTime: "then" },
      before[1],
    ]);
    expect(withConditions(before, [{ type: "Ready", status: "False" }], "now")[0]).toEqual({
      type: "Ready",
      status: "False",
      lastTransitionTime: "now",
    });
  });
  it("adds what is missing", () => {
    expect(withConditions(undefined, [{ type: "New", status: "Unknown" }], "now")).toEqual([
      { type: "New", status: "Unknown", lastTransitionTime: "now" },
    ]);
  });
});
