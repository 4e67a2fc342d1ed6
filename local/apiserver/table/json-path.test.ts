import { expect, test } from "vitest";
import { jsonPath } from "./json-path.ts";

const object = {
  metadata: { annotations: { "example.org/note": "a", "example.org/broker.class": "b" } },
  spec: { size: 1, parts: [{ name: "first" }, { name: "second" }] },
  status: {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Held", status: "False" },
    ],
  },
};

test.each([
  [".spec.size", [1]],
  [".spec.absent", []],
  [".spec.parts[1].name", ["second"]],
  [".spec.parts[*].name", ["first", "second"]],
  ['.status.conditions[?(@.type=="Ready")].status', ["True"]],
  [".status.conditions[?(@.type=='Held')].status", ["False"]],
  [".metadata.annotations.example\\.org/note", ["a"]],
  [".metadata.annotations.example\\.org/broker\\.class", ["b"]],
  [".metadata.annotations['example.org/note']", ["a"]],
])("%s finds what it names", (path, found) => expect(jsonPath(path)(object)).toEqual(found));

test.each(["spec.size", "{.spec.size}"])("%s, which does not begin with a dot, finds nothing", (path) =>
  expect(jsonPath(path)(object)).toEqual([]),
);
