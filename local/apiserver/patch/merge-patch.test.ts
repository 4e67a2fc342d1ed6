import { expect, test } from "vitest";
import { mergePatch } from "./merge-patch.ts";

const live = { metadata: { name: "a", finalizers: ["x", "y"], labels: { a: "1" } }, data: { k: "v" } };

test("nulls inside a new object go, those inside an array stay", () =>
  expect(mergePatch({}, { a: { b: null, c: [null] } })).toEqual({ a: { c: [null] } }));

test("a member called __proto__ is a member like any other", () => {
  const result = mergePatch({}, JSON.parse('{"__proto__":{"polluted":1}}'));
  expect(Object.keys(result)).toEqual(["__proto__"]);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test("the target is not touched", () => {
  const before = structuredClone(live);
  mergePatch(live, { metadata: { labels: { c: "3" } } });
  expect(live).toEqual(before);
});

test("what is no object is a bad request", () => {
  for (const patch of [[], null]) expect(() => mergePatch({}, patch)).toThrow("error decoding patch: it is no object");
});
