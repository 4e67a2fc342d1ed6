import { describe, expect, test } from "vitest";
import { nextProgress, progressKey } from "../progress.ts";
import { condemningRule, isFromBefore, keepFromBefore, noteUse } from "./from-before.ts";
import type { TemplateClaim } from "./look-at-set.ts";
import { markingRule } from "./mark.ts";
import { claimOf, noon, podOf, setOf, uidOfSet } from "./testing/objects.ts";

const earlier = { creationTimestamp: "2026-03-01T10:59:59Z" };
const born = { creationTimestamp: "2026-03-01T11:00:00Z" };
const set = setOf(born);
const seenBy = (rule: string, setUid: string) => {
  const text = nextProgress(claimOf(0), rule, { name: "used", details: { setUid } }, "It is.", noon) ?? "";
  return { annotations: { [progressKey(rule)]: text } };
};

describe("a claim is from before its set", () => {
  test.each<[string, object, boolean]>([
    ["when it is older", earlier, true],
    ["not when it is as old", born, false],
    ["not when nobody knows how old it is", {}, false],
    ["not when condemn has seen the set use it", { ...earlier, ...seenBy(condemningRule, uidOfSet) }, false],
    ["not when grace has", { ...earlier, ...seenBy(markingRule, uidOfSet) }, false],
    ["when it was seen with another incarnation of the set", { ...earlier, ...seenBy(markingRule, "u0") }, true],
    ["when another rule tells of the set", { ...earlier, ...seenBy("pvc-retention/own", uidOfSet) }, true],
  ])("%s", (_, metadata, expected) => {
    expect(isFromBefore(set, claimOf(0, metadata))).toBe(expected);
  });
});

test("its use is noted when a pod of the set is there", () => {
  const one = (more: Partial<TemplateClaim> = {}): TemplateClaim => {
    const claim = claimOf(0, earlier);
    return { claim, template: "data", ordinal: 0, inRange: true, pod: podOf(0), rival: undefined, ...more };
  };
  expect(noteUse(set, one())).toMatchObject({ do: "wait", step: { name: "used", details: { setUid: uidOfSet } } });
  for (const more of [
    { claim: claimOf(0, born) },
    { claim: claimOf(0, { ...earlier, deletionTimestamp: "2026-03-01T11:59:00Z" }) },
    { pod: undefined },
    { pod: podOf(0, { ownerReferences: [] }) },
    { rival: "shop-web" },
  ])
    expect(noteUse(set, one(more))).toBeUndefined();
});

test("that it is kept is told", () => {
  expect(keepFromBefore(set, claimOf(0, earlier), "Mark")).toMatchObject({
    do: "tell",
    notice: { type: "Normal", reason: "CondemnedClaimKept", action: "Mark" },
  });
});
