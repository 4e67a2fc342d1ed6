import { describe, expect, test } from "vitest";
import { meets } from "./requirement.ts";

describe("a requirement", () => {
  test.each<[string, string[] | undefined, string | undefined, boolean]>([
    ["In", ["a", "b"], "b", true],
    ["In", ["a"], undefined, false],
    ["NotIn", ["a"], "a", false],
    ["NotIn", ["a"], undefined, true],
    ["Exists", undefined, "", true],
    ["Exists", undefined, undefined, false],
    ["DoesNotExist", undefined, undefined, true],
    ["DoesNotExist", undefined, "", false],
    ["Gt", ["3"], "4", true],
    ["Gt", ["3"], "3", false],
    ["Gt", ["-4"], "-3", true],
    ["Lt", ["10"], "9", true],
    ["Lt", ["9"], "10", false],
    ["Gt", ["3"], "9223372036854775808", false],
    ["Lt", ["9007199254740993"], "9007199254740992", true],
    ["Gt", ["3"], "4.5", false],
    ["Gt", ["3"], "", false],
    ["Gt", ["3"], undefined, false],
    ["Gt", ["1", "2"], "3", false],
    ["Gt", [], "3", false],
    ["Near", ["a"], "a", false],
  ])("%s %j is met by %j: %j", (operator, values, value, expected) => {
    expect(meets({ key: "k", operator, values }, value)).toBe(expected);
  });
});
