import { describe, expect, test } from "vitest";
import { nextProgress, progressKey } from "../progress.ts";
import { cascading, deletingRule, isCascading } from "./cascade.ts";
import { graceKey, policyKey } from "./policy.ts";
import { noon, setOf } from "./testing/objects.ts";
import { hasTraces, retentionFinalizer } from "./traces.ts";

describe("a set speaks of PVC retention", () => {
  test.each<[string, object, boolean]>([
    ["not at all", {}, false],
    ["by a policy", { annotations: { [policyKey]: "Retain" } }, true],
    ["by a delay, where the policy is its namespace's", { annotations: { [graceKey]: "24h" } }, true],
    ["by what a rule has written down", { annotations: { [progressKey("pvc-retention/condemn")]: "{}" } }, true],
    ["by the finalizer", { finalizers: [retentionFinalizer] }, true],
    [
      "not by what rules of other systems write",
      { annotations: { [progressKey("pvc-protection/release")]: "{}" } },
      false,
    ],
  ])("%s", (_, metadata, expected) => {
    expect(hasTraces(setOf({ ...metadata }))).toBe(expected);
  });
});

test("claims go with a set that is being deleted when that was proven for this very set, and not before it is deleted", () => {
  const text = nextProgress(setOf(), deletingRule, { name: cascading }, "So.", noon) ?? "";
  const annotations = { [progressKey(deletingRule)]: text };
  const deletionTimestamp = "2026-03-01T11:59:00Z";
  expect(isCascading(setOf({ annotations, deletionTimestamp }))).toBe(true);
  expect(isCascading(setOf({ annotations }))).toBe(false);
  expect(isCascading(setOf({ deletionTimestamp }))).toBe(false);
  expect(isCascading(setOf({ annotations, deletionTimestamp, uid: "another" }))).toBe(false);
});
