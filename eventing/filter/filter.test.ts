import { describe, expect, test } from "vitest";
import { compileAttributes, compileFilters, type FilterSpec } from "./filter.ts";

const event = {
  specversion: "1.0",
  id: "e1",
  source: "https://10.96.0.1:443",
  type: "dev.knative.apiserver.resource.update",
  datacontenttype: "application/json; charset=utf-8",
  kind: "Node",
  namespace: "",
};

describe("filter.attributes", () => {
  test.each<[Record<string, string>, boolean]>([
    [{}, true],
    [{ kind: "Node" }, true],
    [{ kind: "node" }, false],
    [{ kind: "Node", type: "dev.knative.apiserver.resource.update" }, true],
    [{ kind: "Node", type: "dev.knative.apiserver.resource.delete" }, false],
    // The empty string asks for any value, but the attribute must have one.
    [{ kind: "" }, true],
    [{ namespace: "" }, false],
    [{ owner: "" }, false],
    [{ owner: "x" }, false],
    [{ subject: "" }, false],
    [{ datamediatype: "application/json" }, true],
    [{ time: "0001-01-01T00:00:00Z" }, true],
  ])("%j: %s", (attributes, passes) => expect(compileAttributes(attributes)(event)).toBe(passes));
});

describe("filters", () => {
  const exact: FilterSpec = { exact: { kind: "Node" } };
  const other: FilterSpec = { exact: { kind: "Pod" } };
  test.each<[FilterSpec[], boolean]>([
    [[], true],
    [[exact], true],
    [[other], false],
    [[{ exact: { kind: "Node", id: "e2" } }], false],
    [[{ prefix: { type: "dev.knative." } }], true],
    [[{ prefix: { owner: "x" } }], false],
    [[{ suffix: { type: ".update" } }], true],
    [[{ suffix: { type: ".delete" } }], false],
    [[exact, other], false],
    [[{ all: [exact, { suffix: { type: "update" } }] }], true],
    [[{ all: [exact, other] }], false],
    [[{ any: [other, exact] }], true],
    [[{ any: [other, other] }], false],
    [[{ not: other }], true],
    [[{ not: { any: [exact, other] } }], false],
  ])("%j: %s", (specs, passes) => expect(compileFilters(specs)(event)).toBe(passes));
});
