import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { graceKey, nativePolicy, policyKey, readPolicy, writeDuration } from "./policy.ts";

const object = (annotations?: Record<string, string>): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Any",
  metadata: { name: "web", uid: "u", resourceVersion: "1", ...(annotations ? { annotations } : {}) },
});
const policy = (set?: Record<string, string>, namespace?: Record<string, string>) =>
  readPolicy(object(set), namespace && object(namespace));

test.each([
  ["Retain", "Retain", "Retain"],
  ["DeleteOnStatefulSetDeletionOnly", "Delete", "Retain"],
  ["DeleteOnScaledownOnly", "Retain", "Delete"],
  ["DeleteOnScaledownAndStatefulSetDeletion", "Delete", "Delete"],
])("%s", (name, whenDeleted, whenScaled) => {
  expect(policy({ [policyKey]: name })).toEqual({ name, whenDeleted, whenScaled, grace: 0, faults: [] });
});

describe("where it comes from", () => {
  test("nowhere: the set is left alone", () => {
    expect(policy()).toBeUndefined();
    expect(policy({ [graceKey]: "24h" }, {})).toBeUndefined();
  });
  test("the namespace gives the default, the set overrules it", () => {
    expect(policy({}, { [policyKey]: "DeleteOnScaledownOnly" })?.name).toBe("DeleteOnScaledownOnly");
    expect(policy({ [policyKey]: "Retain" }, { [policyKey]: "DeleteOnScaledownOnly" })?.name).toBe("Retain");
  });
  test("each annotation by itself", () => {
    expect(policy({ [policyKey]: "DeleteOnScaledownOnly" }, { [graceKey]: "1h" })?.grace).toBe(3_600_000);
  });
});

test.each(["", "delete", "retain", "constructor", " DeleteOnScaledownOnly"])("%j keeps all, and says so", (written) => {
  const read = policy({ [policyKey]: written });
  expect(read).toMatchObject({ name: "Retain", whenDeleted: "Retain", whenScaled: "Retain" });
  expect(read?.faults).toHaveLength(1);
});

test.each([
  ["10s", 10_000],
  ["30m", 1_800_000],
  [" 7d ", 604_800_000],
  ["0s", 0],
])("a grace of %j", (written, milliseconds) => {
  expect(policy({ [policyKey]: "DeleteOnScaledownOnly", [graceKey]: written })).toMatchObject({
    name: "DeleteOnScaledownOnly",
    grace: milliseconds,
    faults: [],
  });
});

test.each(["", "soon", "-1h", "1.5h", "1h30m", "24", "999999999d"])(
  "a grace of %j keeps all, and says so",
  (written) => {
    const read = policy({ [policyKey]: "DeleteOnScaledownAndStatefulSetDeletion", [graceKey]: written });
    expect(read).toMatchObject({ name: "Retain", whenDeleted: "Retain", whenScaled: "Retain", grace: 0 });
    expect(read?.faults).toHaveLength(1);
  },
);

test("Kubernetes' own controller deletes nothing where claims are kept for a while", () => {
  const read = policy({ [policyKey]: "DeleteOnScaledownAndStatefulSetDeletion", [graceKey]: "1h" });
  expect(read && nativePolicy(read)).toEqual({ whenDeleted: "Retain", whenScaled: "Retain" });
});

test.each([
  [10_000, "10s"],
  [90_000, "90s"],
  [1_800_000, "30m"],
  [86_400_000, "1d"],
])("a duration of %i ms is written %s", (duration, text) => {
  expect(writeDuration(duration)).toBe(text);
});
