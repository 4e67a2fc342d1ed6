import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../kubernetes/object.ts";
import type { StatefulSet } from "./stateful-set.ts";
import { areRivals, mayBeRivals, type Origin, originOf } from "./template-claims.ts";

const set = (
  name: string,
  templates: readonly (string | { name: string; labels: Record<string, string> })[],
  matchLabels?: Record<string, string>,
): StatefulSet => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name, uid: name, resourceVersion: "1" },
  spec: {
    ...(matchLabels ? { selector: { matchLabels } } : {}),
    volumeClaimTemplates: templates.map((one) => ({ metadata: typeof one === "string" ? { name: one } : one })),
  },
});
const claim = (name: string, labels?: Record<string, string>): KubernetesObject => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name, uid: "c", resourceVersion: "1", ...(labels ? { labels } : {}) },
});

describe("a claim comes from", () => {
  const web = set("web", ["data", "log"]);
  test.each<[string, Omit<Origin, "relabelled"> | undefined]>([
    ["data-web-0", { template: "data", ordinal: 0 }],
    ["log-web-17", { template: "log", ordinal: 17 }],
    ["data-web-2147483647", { template: "data", ordinal: 2147483647 }],
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
  ])("%s: %j", (name, expected) => {
    expect(originOf(web, claim(name))).toEqual(expected && { ...expected, relabelled: false });
  });

  test("nowhere, when the set has no templates", () => {
    expect(originOf({ ...web, spec: {} }, claim("data-web-0"))).toBeUndefined();
  });
});

describe("labels tell a claim apart where the template carries those of the selector", () => {
  const app = { app: "web" };
  const labelled = set("web", [{ name: "data", labels: { app: "web", tier: "db" } }], app);
  const bare = set("web", ["data"], app);
  test.each<[string, StatefulSet, Record<string, string> | undefined, boolean]>([
    ["template has them, claim has them", labelled, { app: "web", more: "x" }, false],
    ["template has them, claim has others", labelled, { app: "shop" }, true],
    ["template has them, claim has none", labelled, undefined, true],
    ["template has none, claim was made by hand without", bare, undefined, false],
    ["template has none, claim has others", bare, { app: "shop" }, false],
  ])("%s", (_, set, labels, relabelled) => {
    expect(originOf(set, claim("data-web-0", labels))).toEqual({ template: "data", ordinal: 0, relabelled });
  });
});

describe("rivals", () => {
  test.each<[string, StatefulSet, StatefulSet, boolean]>([
    ["template a-b of set c and template a of set b-c", set("c", ["a-b"]), set("b-c", ["a"]), true],
    ["one of several templates", set("c", ["x", "a-b"]), set("b-c", ["a", "y"]), true],
    ["names that fit, templates that do not", set("c", ["a"]), set("b-c", ["a"]), false],
    ["the same set", set("c", ["a-b"]), set("c", ["a-b"]), false],
    ["sets without templates", set("c", []), set("b-c", ["a"]), false],
  ])("%s", (_, one, other, expected) => {
    expect(areRivals(one, other)).toBe(expected);
    expect(areRivals(other, one)).toBe(expected);
  });

  test("only the template that yields the name is contested", () => {
    expect(areRivals(set("c", ["x", "a-b"]), set("b-c", ["a"]), "x")).toBe(false);
    expect(areRivals(set("c", ["x", "a-b"]), set("b-c", ["a"]), "a-b")).toBe(true);
  });

  test("two sets whose templates yield one name are rivals, and their names alone give them away", () => {
    const word = fc.constantFrom("a", "b", "c", "a-b", "b-c", "a-b-c");
    fc.assert(
      fc.property(word, word, word, word, fc.nat(3), (template, name, otherTemplate, otherName, ordinal) => {
        fc.pre(name !== otherName);
        const [one, other] = [set(name, [template]), set(otherName, [otherTemplate])];
        const shared = originOf(other, claim(`${template}-${name}-${ordinal}`)) !== undefined;
        expect(areRivals(one, other)).toBe(shared);
        if (shared) expect(mayBeRivals(name, otherName)).toBe(true);
      }),
    );
  });
});
