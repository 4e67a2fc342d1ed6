import { expect, test } from "vitest";
import { tolerates } from "./toleration.ts";

test.each([
  [{ key: "k", value: "v" }, true],
  [{ key: "k", value: "w" }, false],
  [{ key: "k" }, false],
  [{ key: "k", operator: "Exists" }, true],
  [{ key: "k", operator: "Exists", effect: "NoExecute" }, false],
  [{ operator: "Exists" }, true],
  [{ operator: "Equal", value: "v" }, true],
  [{ operator: "Equal", value: "w" }, false],
  [{ key: "k", operator: "", value: "v" }, true],
  [{ key: "k", operator: "Never", value: "v" }, false],
])("toleration %j of k=v:NoSchedule: %j", (toleration, expected) => {
  expect(tolerates(toleration, { key: "k", value: "v", effect: "NoSchedule" })).toBe(expected);
});
