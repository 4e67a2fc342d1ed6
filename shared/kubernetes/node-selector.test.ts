import { expect, test } from "vitest";
import { matchesNodeSelector, type NodeSelector } from "./node-selector.ts";

test("a node selector matches by any term and by all requirements of it, and never by an empty term", () => {
  const node = { name: "n1", labels: { a: "1" } };
  const has = (key: string) => ({ key, operator: "Exists" });
  const matches = (...nodeSelectorTerms: NodeSelector["nodeSelectorTerms"]) =>
    matchesNodeSelector({ nodeSelectorTerms }, node);
  expect(matches({ matchExpressions: [has("b")] }, { matchExpressions: [has("a")] })).toBe(true);
  expect(matches({ matchExpressions: [has("a"), has("b")] })).toBe(false);
  expect(matches({})).toBe(false);
  expect(matches()).toBe(false);
  expect(matches({ matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }] })).toBe(true);
  expect(matches({ matchFields: [{ key: "spec.x", operator: "NotIn", values: ["n1"] }] })).toBe(false);
  expect(matchesNodeSelector(undefined, node)).toBe(true);
});
