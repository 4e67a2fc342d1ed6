import { describe, expect, test } from "vitest";
import type { Hint } from "../../../shared/event/hint.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { readSettings } from "../../../shared/settings.ts";
import { claim as claimWith } from "../testing/objects.ts";
import { protect } from "./rule.ts";

const ours = "holdfast.dev/pvc-protection";
const inTree = "kubernetes.io/pvc-protection";
const settings = (environment: Record<string, string> = {}) => readSettings(protect.settings, environment);
const claim = (finalizers?: string[], metadata: object = {}) =>
  claimWith({ ...(finalizers ? { finalizers } : {}), ...metadata });
const deleting = { deletionTimestamp: "2026-03-01T12:00:00Z" };
const added = (claim: KubernetesObject, environment = {}) => {
  const [decision] = protect.decide(claim, 0, settings(environment));
  const [write] = decision?.do === "write" ? decision.writes : [];
  const operations = write?.verb === "patch" ? (write.patch as { op: string; path: string; value: unknown }[]) : [];
  return operations.filter(({ op }) => op === "add").map(({ path, value }) => [path, value]);
};

describe("finalizers added", () => {
  const adds = (claim: KubernetesObject, environment: Record<string, string>, expected: unknown[]) =>
    expect(added(claim, environment)).toEqual(expected);
  test("no finalizer is there: the list is created", () => adds(claim(), {}, [["/metadata/finalizers", [ours]]]));
  test("the in-tree one is there: ours is appended", () =>
    adds(claim([inTree]), {}, [["/metadata/finalizers/-", ours]]));
  test("ours is there", () => adds(claim([inTree, ours]), {}, []));
  test("being deleted", () => adds(claim([inTree], deleting), {}, []));
  test("in-tree protection is off and both are missing", () =>
    adds(claim(), { IN_TREE: "absent" }, [["/metadata/finalizers", [inTree, ours]]]));
  test("in-tree protection is off and its finalizer is missing", () =>
    adds(claim([ours]), { IN_TREE: "absent" }, [["/metadata/finalizers/-", inTree]]));
  test("with a finalizer of the administrator's", () =>
    adds(claim([ours]), { FINALIZER: "corp.example/keep" }, [["/metadata/finalizers/-", "corp.example/keep"]]));
  test("under the in-tree name, with in-tree protection off", () =>
    adds(claim(), { FINALIZER: inTree, IN_TREE: "absent" }, [["/metadata/finalizers", [inTree]]]));
});

test("a claim that is gone or not selected needs no decision", () =>
  expect(protect.decide(undefined, 0, settings())).toEqual([]));

describe("subjects", () => {
  const hint = (
    object: KubernetesObject | undefined,
    change: Hint["change"] = "update",
    kind = "PersistentVolumeClaim",
    namespace = "shop",
  ): Hint => ({
    id: "e1",
    change,
    apiVersion: "v1",
    kind,
    namespace,
    name: "data",
    object,
  });
  test.each<[string, Hint, Record<string, string>, number]>([
    ["a claim without our finalizer", hint(claim()), {}, 1],
    ["a claim of which only the name is known", hint(undefined), {}, 1],
    ["a claim that the sweep found", hint(undefined, "sweep"), {}, 1],
    ["a claim with our finalizer", hint(claim([ours])), {}, 0],
    ["a claim being deleted", hint(claim([], deleting)), {}, 0],
    ["a claim that is gone", hint(claim(), "delete"), {}, 0],
    ["a pod", hint(undefined, "update", "Pod"), {}, 0],
    ["a claim in an excluded namespace", hint(claim()), { EXCLUDED_NAMESPACES: "kube-system, shop" }, 0],
    ["a claim in another namespace than the excluded", hint(claim()), { EXCLUDED_NAMESPACES: "kube-system" }, 1],
  ])("%s", (_, hint, environment, count) => expect(protect.subjects(hint, settings(environment))).toHaveLength(count));
});

test("a finalizer without a domain is refused with its variable and value", () => {
  expect(() => settings({ FINALIZER: "protect" })).toThrow(
    'FINALIZER is "protect": expected a qualified name such as holdfast.dev/pvc-protection.',
  );
});

test("excluded namespaces are names of namespaces", () => {
  expect(settings({ EXCLUDED_NAMESPACES: " kube-system, monitoring " }).excludedNamespaces).toEqual([
    "kube-system",
    "monitoring",
  ]);
  expect(() => settings({ EXCLUDED_NAMESPACES: "kube-system,Team_A" })).toThrow(
    'EXCLUDED_NAMESPACES is "kube-system,Team_A": expected names of namespaces such as kube-system,monitoring.',
  );
});

test.each([
  "tier=gold",
  "tier==gold,!legacy",
  "env in (prod, stage),tier!=bronze",
  "app.example/keep",
  "env notin (ci)",
  "",
])("the label selector %j is taken", (SELECTOR) => expect(settings({ SELECTOR }).selector).toBe(SELECTOR));

test.each(["a in (b", "=gold", "tier=gold,,", "tier gold", "a in b", "tier=a b"])(
  "the label selector %j is refused",
  (SELECTOR) =>
    expect(() => settings({ SELECTOR })).toThrow(`SELECTOR is ${JSON.stringify(SELECTOR)}: expected a label selector`),
);
