import { describe, expect, test } from "vitest";
import { on } from "./condition.ts";
import { toLines } from "./to-lines.ts";
import { absent, Choice, type Tree, vary } from "./tree.ts";

const a = [on("a")];
const b = [on("b")];
const text = (tree: unknown) => toLines(tree as Tree).join("\n");
const ifA = '{{- if (index $.Values "a") }}';
const ifB = '{{- if (index $.Values "b") }}';
const end = "{{- end }}";

describe("of an object that an option changes, only what it changes is under its condition", () => {
  test.each<[string, Tree, Tree, readonly string[]]>([
    ["a value", { x: 1, v: "s" }, { x: 2, v: "s" }, [ifA, "x: 2", "{{- else }}", "x: 1", end, "v: s"]],
    ["an entry more", { x: 1 }, { x: 1, v: { z: [] } }, ["x: 1", ifA, "v:", "  z: []", end]],
    ["an entry less", { x: 1, v: 2 }, { x: 1 }, ["x: 1", ifA, "{{- else }}", "v: 2", end]],
    ["an item more", { l: [{ k: 1 }] }, { l: [{ k: 1 }, { k: 2 }] }, ["l:", "  - k: 1", ifA, "  - k: 2", end]],
    ["an item less", { l: [1, 2, 3] }, { l: [1, 3] }, ["l:", "  - 1", ifA, "{{- else }}", "  - 2", end, "  - 3"]],
    [
      "within an item",
      { l: [{ k: 1 }] },
      { l: [{ k: 2 }] },
      ["l:", "  -", `    ${ifA}`, "    k: 2", "    {{- else }}", "    k: 1", `    ${end}`],
    ],
    [
      "all of a list",
      { l: [1, 2] },
      { l: [3, 2, 1] },
      [ifA, "l:", "  - 3", "  - 2", "  - 1", "{{- else }}", "l:", "  - 1", "  - 2", end],
    ],
  ])("%s", (_, before, after, lines) => {
    const expected = lines.map((line) => line.trim());
    expect(
      text(vary(before, before, after, a, new Set()))
        .split("\n")
        .map((line) => line.trim()),
    ).toEqual(expected);
  });
});

test("two options that change the same list do not get in each other's way", () => {
  const base = { l: [1] };
  const first = vary(base, base, { l: [1, 2] }, a, new Set());
  expect(vary(first, { l: [1, 2] }, { l: [1, 2, 3] }, b, new Set(["a"]))).toEqual({
    l: [1, new Choice(a, 2, absent), new Choice(b, 3, absent)],
  });
  const lines = ["l:", "  - 1", ifA, "  - 2", end, ifB, "  - 3", end].map((line) => line.trim());
  const both = text(vary(first, base, { l: [1, 3] }, b, new Set()));
  expect(both.split("\n").map((line) => line.trim())).toEqual(lines);
});

test("text that Helm would take for a template is refused", () => expect(() => text({ x: "{{ a }}" })).toThrow("{{"));
