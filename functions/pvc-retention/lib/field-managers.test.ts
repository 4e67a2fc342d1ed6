import { describe, expect, test } from "vitest";
import { choosersOf, holdsField } from "./field-managers.ts";
import { setOf } from "./testing/objects.ts";

describe("the managers, besides Holdfast, that have chosen the value of whenDeleted", () => {
  test.each<[string, Parameters<typeof setOf>[0], readonly string[]]>([
    ["a default that the creator holds", { held: [["kubectl-create", "Update", "whenDeleted"]] }, []],
    ["a default that no manager holds", {}, []],
    ["a Retain by server-side apply", { held: [["flux", "Apply", "whenDeleted"]] }, ["flux"]],
    ["a Retain for whenScaled", { held: [["flux", "Apply", "whenScaled"]] }, []],
    ["a Retain of ours", { held: [["us", "Apply", "whenDeleted"]] }, []],
    ["a Delete by an update", { field: "Delete/Retain", held: [["helm", "Update", "whenDeleted"]] }, ["helm"]],
    ["a Delete of ours", { field: "Delete/Retain", held: [["us", "Apply", "whenDeleted"]] }, []],
    [
      "a Delete of ours and others",
      {
        field: "Delete/Retain",
        held: [
          ["us", "Apply", "whenDeleted"],
          ["flux", "Apply", "whenDeleted"],
        ],
      },
      ["flux"],
    ],
    ["a Delete that no manager holds", { field: "Delete/Retain" }, ["a manager that the object does not name"]],
  ])("%s", (_, shape, expected) => expect(choosersOf(setOf(shape), "whenDeleted")).toEqual(expected));
});

test("Holdfast holds the field only by server-side apply", () => {
  expect(holdsField(setOf({ held: [["us", "Apply", "whenScaled"]] }), "whenScaled")).toBe(true);
  expect(holdsField(setOf({ held: [["us", "Apply", "whenScaled"]] }), "whenDeleted")).toBe(false);
  expect(holdsField(setOf({ held: [["us", "Update", "whenScaled"]] }), "whenScaled")).toBe(false);
});
