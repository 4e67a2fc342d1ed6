import { describe, expect, test } from "vitest";
import { StatusError } from "../status-error.ts";
import { jsonPatch } from "./json-patch.ts";

const live = {
  kind: "ConfigMap",
  metadata: { name: "cm", finalizers: ["a.b/c", "a.b/d"] },
  data: { a: "1", b: "2" },
};
const patched = (...operations: unknown[]) => jsonPatch(live, operations) as typeof live;
const failure = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    if (error instanceof StatusError) return { status: error.status, message: error.message, details: error.details };
    throw error;
  }
  return undefined;
};

describe("recorded from kube-apiserver 1.36.3: accepted", () => {
  type View = (result: typeof live) => unknown;
  const all: View = (result) => result;
  const data: View = (result) => result.data;
  const keys: View = (result) => Object.keys(result.data);
  const finalizers: View = (result) => result.metadata.finalizers;
  const add = (path: string, value: string) => ({ op: "add", path, value });
  const cases: [string, unknown, View, unknown][] = [
    ["a missing member tests equal to null", { op: "test", path: "/data/x", value: null }, all, live],
    ["a missing member tests equal to no value", { op: "test", path: "/data/x" }, all, live],
    ["replace creates a member", { op: "replace", path: "/data/z", value: "9" }, data, { ...live.data, z: "9" }],
    [
      "copy of a missing member is null",
      { op: "copy", from: "/data/z", path: "/data/y" },
      data,
      { ...live.data, y: null },
    ],
    ["add without a value adds null", { op: "add", path: "/data/y" }, data, { ...live.data, y: null }],
    ["move", { op: "move", from: "/data/a", path: "/data/y" }, data, { b: "2", y: "1" }],
    ["append", add("/metadata/finalizers/-", "e"), finalizers, ["a.b/c", "a.b/d", "e"]],
    ["insert", add("/metadata/finalizers/0", "e"), finalizers, ["e", "a.b/c", "a.b/d"]],
    ["-1 appends", add("/metadata/finalizers/-1", "e"), finalizers, ["a.b/c", "a.b/d", "e"]],
    ["-1 removes the last", { op: "remove", path: "/metadata/finalizers/-1" }, finalizers, ["a.b/c"]],
    ["00 is the first", { op: "remove", path: "/metadata/finalizers/00" }, finalizers, ["a.b/d"]],
    ["a path without a slash before it", { op: "test", path: "data/b", value: null }, all, live],
    ["a label called constructor", add("/data/constructor", "c"), keys, ["a", "b", "constructor"]],
    ["a member called __proto__", add("/data/__proto__", "p"), keys, ["a", "b", "__proto__"]],
    ["escapes", add("/data/x~1y~0z", "p"), keys, ["a", "b", "x/y~z"]],
    ["the whole", { op: "replace", path: "", value: { a: 1 } }, all, { a: 1 }],
  ];
  for (const [name, operation, view, expected] of cases) {
    test(name, () => expect(view(patched(operation))).toEqual(expected));
  }
  test("no operations", () => {
    expect(jsonPatch(live, [])).toEqual(live);
    expect(jsonPatch(live, null)).toEqual(live);
  });
});

describe("recorded from kube-apiserver 1.36.3: refused alike", () => {
  const refusal = {
    status: 422,
    message: "the server rejected our request due to an error in our request",
    details: {},
  };
  const operations: unknown[] = [
    { op: "test", path: "/data/a", value: "9" },
    { op: "test", path: "/data/x", value: "1" },
    { op: "test", path: "/data/a" },
    { op: "test", path: "/nope/a", value: null },
    { op: "test", path: "/metadata/name/x", value: null },
    { op: "test", path: "/metadata/finalizers/9", value: null },
    { op: "test", path: "/metadata/finalizers/0", value: "zzz" },
    { op: "test", path: "", value: {} },
    { op: "remove", path: "/data/x" },
    { op: "remove", path: "/data/toString" },
    { op: "remove", path: "/metadata/finalizers/7" },
    { op: "remove", path: "/metadata/finalizers/x" },
    { op: "remove", path: "" },
    { op: "add", path: "/nope/x", value: "1" },
    { op: "add", path: "/__proto__/polluted", value: "1" },
    { op: "add", path: "/data/a/b", value: "1" },
    { op: "add", path: "/metadata/finalizers/5", value: "e" },
    { op: "add", path: "", value: {} },
    { op: "add", value: {} },
    { op: "replace", path: "/nope/x", value: "1" },
    { op: "replace", path: "/metadata/finalizers/9", value: "1" },
    { op: "replace", path: "/metadata/finalizers/-", value: "1" },
    { op: "move", from: "/data/z", path: "/data/y" },
    { op: "move", from: "/metadata", path: "/metadata/x" },
    { op: "move", path: "/data/x" },
    { op: "bogus", path: "/data/x" },
    null,
  ];
  for (const operation of operations) {
    test(JSON.stringify(operation), () => expect(failure(() => patched(operation))).toEqual(refusal));
  }
});

describe("what is no JSON Patch is a bad request", () => {
  const cases: [unknown, string][] = [
    [{ op: "remove" }, "it is no list of operations"],
    ["x", "it is no list of operations"],
    [[1], "an operation is no object"],
    [[{ op: "test", path: "/none", value: 1 }, 7], "an operation is no object"],
    [[{ op: "add", path: 5 }], "path is no text"],
  ];
  for (const [patch, expected] of cases) {
    test(JSON.stringify(patch), () =>
      expect(failure(() => jsonPatch(live, patch))).toEqual({
        status: 400,
        message: `error decoding patch: ${expected}`,
        details: undefined,
      }),
    );
  }
});

test("neither the target nor the patch is shared with the result", () => {
  const value = { deep: [1] };
  const result = jsonPatch({ list: [{}] }, [{ op: "add", path: "/list/0/x", value }]) as {
    list: { x: typeof value }[];
  };
  result.list[0]?.x.deep.push(2);
  expect(value).toEqual({ deep: [1] });
});

test("a failure half way leaves the target as it was", () => {
  const before = structuredClone(live);
  failure(() => patched({ op: "remove", path: "/data/a" }, { op: "test", path: "/data/b", value: "x" }));
  expect(live).toEqual(before);
});
