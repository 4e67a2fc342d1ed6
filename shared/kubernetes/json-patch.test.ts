import { describe, expect, test } from "vitest";
import { applyJsonPatch, JsonPatchError, type JsonPatchOperation } from "./json-patch.ts";

const patched = (document: unknown, ...operations: JsonPatchOperation[]) =>
  applyJsonPatch(structuredClone(document), operations);

// What Kubernetes takes besides is recorded in local/apiserver/patch/json-patch.test.ts.
describe("RFC 6902, appendix A", () => {
  test.each<[string, unknown, JsonPatchOperation[], unknown]>([
    ["A.1", { foo: "bar" }, [{ op: "add", path: "/baz", value: "qux" }], { foo: "bar", baz: "qux" }],
    ["A.2", { foo: ["bar", "baz"] }, [{ op: "add", path: "/foo/1", value: "qux" }], { foo: ["bar", "qux", "baz"] }],
    ["A.3", { baz: "qux", foo: "bar" }, [{ op: "remove", path: "/baz" }], { foo: "bar" }],
    ["A.4", { foo: ["bar", "qux", "baz"] }, [{ op: "remove", path: "/foo/1" }], { foo: ["bar", "baz"] }],
    ["A.5", { baz: "qux", foo: "bar" }, [{ op: "replace", path: "/baz", value: "boo" }], { baz: "boo", foo: "bar" }],
    [
      "A.6",
      { foo: { bar: "baz", waldo: "fred" }, qux: { corge: "grault" } },
      [{ op: "move", from: "/foo/waldo", path: "/qux/thud" }],
      { foo: { bar: "baz" }, qux: { corge: "grault", thud: "fred" } },
    ],
    [
      "A.7",
      { foo: ["all", "grass", "cows", "eat"] },
      [{ op: "move", from: "/foo/1", path: "/foo/3" }],
      { foo: ["all", "cows", "eat", "grass"] },
    ],
    [
      "A.8",
      { baz: "qux", foo: ["a", 2, "c"] },
      [
        { op: "test", path: "/baz", value: "qux" },
        { op: "test", path: "/foo/1", value: 2 },
      ],
      { baz: "qux", foo: ["a", 2, "c"] },
    ],
    [
      "A.10",
      { foo: "bar" },
      [{ op: "add", path: "/child", value: { grandchild: {} } }],
      { foo: "bar", child: { grandchild: {} } },
    ],
    [
      "A.11",
      { foo: "bar" },
      [{ op: "add", path: "/baz", value: "qux", xyz: 123 } as JsonPatchOperation],
      { foo: "bar", baz: "qux" },
    ],
    ["A.14", { "/": 9, "~1": 10 }, [{ op: "test", path: "/~01", value: 10 }], { "/": 9, "~1": 10 }],
    ["A.16", { foo: ["bar"] }, [{ op: "add", path: "/foo/-", value: ["abc"] }], { foo: ["bar", ["abc"]] }],
  ])("%s", (_, document, operations, expected) => expect(patched(document, ...operations)).toEqual(expected));

  test.each<[string, unknown, JsonPatchOperation]>([
    ["A.9", { baz: "qux" }, { op: "test", path: "/baz", value: "bar" }],
    ["A.12", { foo: "bar" }, { op: "add", path: "/baz/bat", value: "qux" }],
    ["A.15", { "/": 9, "~1": 10 }, { op: "test", path: "/~01", value: "10" }],
  ])("%s is an error", (_, document, operation) => expect(() => patched(document, operation)).toThrow(JsonPatchError));
});

test.each<[JsonPatchOperation, string]>([
  [{ op: "frob", path: "/a" }, "operation 2 (frob /a) has another op than"],
  [{ op: "add" }, "operation 2 (add) has no path."],
  [{ op: "copy", path: "/a" }, "operation 2 (copy /a) has no from."],
  [{ op: "remove", path: "/none" }, "operation 2 (remove /none) finds nothing there to remove."],
  [{ op: "remove", path: "" }, 'names no member: "" has no slash.'],
  [{ op: "add", path: "/b/c/d", value: 1 }, "finds neither an object nor a list at /b/c."],
  [{ op: "add", path: "/list/4", value: 1 }, 'needs an index from 0 to 1, and has "4".'],
  [{ op: "test", path: "/a", value: { x: 1 } }, 'expects {"x":1} and finds "1".'],
])("what is wrong with %j is said", (operation, message) => {
  const document = { a: "1", b: {}, list: ["x"] };
  expect(() => patched(document, { op: "test", path: "/a", value: "1" }, operation)).toThrow(message);
});

test("what two operations share is two values afterwards, as a YAML alias is", () => {
  const shared = { x: 1 };
  const operations = [
    { op: "add", path: "/a", value: shared },
    { op: "add", path: "/b", value: shared },
    { op: "replace", path: "/b/x", value: 2 },
  ];
  expect(patched({}, ...operations)).toEqual({ a: { x: 1 }, b: { x: 2 } });
  expect(shared).toEqual({ x: 1 });
});
