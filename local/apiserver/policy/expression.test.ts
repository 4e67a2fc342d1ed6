import { describe, expect, test } from "vitest";
import { compile, ExpressionError } from "./expression.ts";
import { withoutMessages } from "./message-literal.ts";

describe("message literals become map literals", () => {
  const cases: [string, string][] = [
    ['Object{metadata: Object.metadata{finalizers: ["a"]}}', '{"metadata": {"finalizers": ["a"]}}'],
    ['M{e: q ? r : s, f: {"x": y}}', '{"e": q ? r : s, "f": {"x": y}}'],
    ['{"a": x ? b : c}', '{"a": x ? b : c}'],
    ['x in {"a": 1}', 'x in {"a": 1}'],
    ["Object{`a-b`: 1}", '{"a-b": 1}'],
    ['"Object{a: 1}"', '"Object{a: 1}"'],
    ["Object { // a: b\n spec: 1 }", '{ // a: b\n "spec": 1 }'],
  ];
  for (const [given, expected] of cases) test(given, () => expect(withoutMessages(given)).toBe(expected));
});

describe("expressions", () => {
  const object = { metadata: { name: "a", labels: { app: "x" } }, spec: { replicas: 3 } };
  const cases: [string, unknown][] = [
    ['object.metadata.?labels["app"].orValue("none")', "x"],
    ['object.metadata.?annotations["app"].orValue("none")', "none"],
    ['!has(object.metadata.finalizers) || !("h/x" in object.metadata.finalizers)', true],
    ["object.spec.replicas + 1", 4],
    ["Object{spec: Object.spec{replicas: object.spec.replicas * 2}}", { spec: { replicas: 6 } }],
    ['object.metadata.labels.exists(key, key.startsWith("a"))', true],
  ];
  for (const [expression, expected] of cases) {
    test(expression, () => expect(compile(expression)({ object })).toEqual(expected));
  }
  test.each(['"a" in ["none", object.metadata.name]', '{"a": object.metadata.name, "b": "c"}.a == "a"'])(
    "as a real API server, takes no list or map of several types: %s",
    (expression) => expect(() => compile(expression)({ object })).toThrow(/same type|wrong type/),
  );
  test("what has no value says why", () => {
    expect(() => compile("object.spec.nope")({ object })).toThrow(new ExpressionError("No such key: nope"));
    expect(() => compile("1 +")).toThrow(ExpressionError);
    expect(() => compile('quantity("1Gi")')({})).toThrow(ExpressionError);
  });
});
