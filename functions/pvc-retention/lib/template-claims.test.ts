import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { StatefulSet } from "./stateful-set.ts";
import { labelsFor, ordinalOf } from "./template-claims.ts";
import { claimOf, setOf } from "./testing/objects.ts";

const named = (name: string, ...templates: string[]): StatefulSet => {
  const set = setOf({ metadata: { name } });
  return { ...set, spec: { ...set.spec, volumeClaimTemplates: templates.map((name) => ({ metadata: { name } })) } };
};

describe("the ordinal of", () => {
  test.each<[string, number | undefined]>([
    ["data-web-0", 0],
    ["log-web-17", 17],
    ["data-web-2147483647", 2147483647],
    ["data-web-2147483648", undefined],
    ["data-web-01", undefined],
    ["data-web--1", undefined],
    ["data-web-", undefined],
    ["data-web-1e3", undefined],
    ["data-web-1-2", undefined],
    ["data-web", undefined],
    ["data-web2-0", undefined],
    ["cache-web-0", undefined],
    ["my-data-web-0", undefined],
  ])("%s: %j", (name, expected) => expect(ordinalOf(named("web", "data", "log"), name)).toBe(expected));

  test("a claim of a set without templates is undefined", () => {
    const set = setOf();
    const { volumeClaimTemplates: _, ...spec } = set.spec;
    expect(ordinalOf({ ...set, spec }, "data-web-0")).toBeUndefined();
  });

  test("claims of two sets may have the same name", () => {
    expect(ordinalOf(named("c", "a-b"), "a-b-c-3")).toBe(3);
    expect(ordinalOf(named("b-c", "a"), "a-b-c-3")).toBe(3);
  });
});

test.each<[string, KubernetesObject, string]>([
  ["those of the selector and more", claimOf(0, { labels: { app: "web", tier: "db" } }), "match"],
  ["none", claimOf(0, { labels: undefined }), "lack"],
  ["others", claimOf(0, { labels: { tier: "db" } }), "lack"],
  ["another value", claimOf(0, { labels: { app: "reports" } }), "differ"],
])("labels: %s", (_, claim, expected) => expect(labelsFor(setOf(), claim)).toBe(expected));
