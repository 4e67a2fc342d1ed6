import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { OwnerReference } from "../kubernetes/object.ts";
import { changeOwners, controlledBy, isOurs, type Owners, ownersIn, ownersOf } from "./owner-references.ts";
import { claimOf, podOf, reference, setOf, uidOfSet } from "./testing/objects.ts";

const set = setOf();
const toSet = reference("StatefulSet", "web", uidOfSet);
const toPod = reference("Pod", "web-0", "p0");
const inTree = { blockOwnerDeletion: true };
const plain = { controller: false };
const custom = reference("Custom", "db", "x1");
const owners = (references: OwnerReference[] | undefined, uid: string | undefined = "p0"): Owners =>
  ownersOf(claimOf(0, references ? { ownerReferences: references } : {}), set, {
    name: "web-0",
    ...(uid === undefined ? {} : { uid }),
  });
/** What was found, by the names of the fields. */
const found = ({ foreign, ...one }: Owners) => [
  ...Object.entries(one).flatMap(([key, value]) => (value ? [key] : [])),
  ...(foreign.length > 0 ? ["foreign"] : []),
];

describe("whom a reference names", () => {
  test.each<[string, OwnerReference[] | undefined, string[]]>([
    ["nobody", undefined, []],
    ["an empty list", [], []],
    ["the set", [toSet], ["set"]],
    ["the set, by Kubernetes' own controller", [{ ...toSet, ...inTree }], ["set"]],
    ["the set, without a controller flag", [{ ...toSet, ...plain }], ["set"]],
    ["the pod", [toPod], ["pod"]],
    ["set and pod", [{ ...toSet, ...plain }, toPod], ["set", "pod"]],
    ["a set of the name and another uid", [{ ...toSet, uid: "u0" }], ["stale"]],
    ["a pod of the name and another uid", [{ ...toPod, uid: "p9" }], ["stale"]],
    ["a set of the name without a uid", [{ ...toSet, uid: "" }], ["stale"]],
    [
      "the set, and an earlier one",
      [
        { ...toSet, ...plain },
        { ...toSet, uid: "u0" },
      ],
      ["set", "stale"],
    ],
    ["another set", [reference("StatefulSet", "db", "u2")], ["foreignController"]],
    ["another pod of the set", [reference("Pod", "web-1", "p1")], ["foreignController"]],
    ["the name and uid in another group", [{ ...toSet, apiVersion: "apps/v1beta2" }], ["foreignController"]],
    ["the name in another kind", [reference("ReplicaSet", "web", uidOfSet)], ["foreignController"]],
  ])("%s", (_, references, expected) => {
    expect(found(owners(references)).sort()).toEqual([...expected].sort());
  });

  test("a reference to a pod that is gone is stale: the garbage collector is about to act on it", () => {
    expect(
      found(ownersIn(set, { claim: claimOf(0, { ownerReferences: [toPod] }), ordinal: 0, pod: undefined })),
    ).toEqual(["stale"]);
    expect(
      found(ownersIn(set, { claim: claimOf(0, { ownerReferences: [toPod] }), ordinal: 0, pod: podOf(0) })),
    ).toEqual(["pod"]);
  });
});

describe("an unexpected controller is", () => {
  test.each<[string, OwnerReference[], boolean]>([
    ["nobody's", [], false],
    ["a custom resource that controls", [custom], true],
    ["not a custom resource that says it does not control", [{ ...custom, ...plain }], false],
    ["not a custom resource that says nothing", [without(custom)], false],
    ["another pod", [reference("Pod", "web-7", "p7")], true],
    ["another set", [reference("StatefulSet", "other", "u7")], true],
    ["not the own set", [toSet], false],
    ["not the own pod", [toPod], false],
    ["the own set of an earlier life", [{ ...toSet, uid: "u0" }], true],
    ["another beside the own set", [{ ...toSet, ...plain }, custom], true],
    ["not one that controls nothing beside the own set", [toSet, { ...custom, ...plain }], false],
  ])("%s", (_, references, expected) => {
    const { foreignController, stale } = owners(references);
    expect((foreignController ?? stale) !== undefined).toBe(expected);
  });
});

describe("an owner that does not control is", () => {
  const bare = { ...custom, ...plain };
  test.each<[string, OwnerReference[], number]>([
    ["nobody's", [], 0],
    ["a custom resource", [bare], 1],
    ["a custom resource that says nothing", [without(custom)], 1],
    ["not a custom resource that controls", [custom], 0],
    ["another pod", [{ ...reference("Pod", "web-7", "p7"), ...plain }], 1],
    ["another set", [{ ...reference("StatefulSet", "other", "u7"), ...plain }], 1],
    ["not the own set, even without the flag", [{ ...toSet, ...plain }], 0],
    ["not the own pod, even without the flag", [{ ...toPod, ...plain }], 0],
    ["two of them", [bare, { ...bare, uid: "x2" }], 2],
    ["one beside the own set", [toSet, bare], 1],
  ])("%s", (_, references, count) => {
    expect(owners(references).foreign).toHaveLength(count);
  });
});

test.each<[string, OwnerReference, boolean]>([
  ["as we write it for a set", controlledBy({ ...kinds("StatefulSet", "apps/v1") }, { name: "web", uid: "u" }), true],
  ["as we write it for a pod", controlledBy({ ...kinds("Pod", "v1") }, { name: "web-0", uid: "p" }), true],
  ["as Kubernetes writes it", { ...toSet, ...inTree }, false],
  ["a user's that controls nothing", { ...toSet, ...plain }, false],
  ["another kind's", custom, false],
])("a reference %s is ours: %s", (_, one, expected) => {
  expect(isOurs(one)).toBe(expected);
});

describe("the patch", () => {
  type Operation = { op: string; path: string; value?: unknown };
  const operations = (write: ReturnType<typeof changeOwners>) =>
    (write.verb === "patch" ? write.patch : []) as Operation[];

  test("is for this very claim as it was read", () => {
    expect(operations(changeOwners(claimOf(0, { ownerReferences: [custom, toSet] }), [toSet], toPod))).toEqual([
      { op: "test", path: "/metadata/uid", value: "c0" },
      { op: "test", path: "/metadata/resourceVersion", value: "9" },
      { op: "test", path: "/metadata/ownerReferences/1/uid", value: uidOfSet },
      { op: "remove", path: "/metadata/ownerReferences/1" },
      { op: "add", path: "/metadata/ownerReferences/-", value: toPod },
    ]);
  });

  test("makes the list where there is none", () => {
    expect(operations(changeOwners(claimOf(0), [], toSet)).slice(2)).toEqual([
      { op: "add", path: "/metadata/ownerReferences", value: [toSet] },
    ]);
  });

  test("leaves everybody else's references as they were, in their order", () => {
    const some = fc.uniqueArray(fc.nat(7), { maxLength: 6 });
    fc.assert(
      fc.property(some, fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }), fc.boolean(), (uids, gone, adds) => {
        const references = uids.map((uid) => reference("Custom", `x${uid}`, `x${uid}`));
        const claim = claimOf(0, { ownerReferences: references });
        const remove = references.filter((_, at) => gone[at]);
        const result = [...references];
        for (const { op, path, value } of operations(changeOwners(claim, remove, adds ? toSet : undefined)).slice(2)) {
          const at = Number(path.split("/")[3]);
          if (op === "test") expect(result[at]?.uid).toBe(value);
          if (op === "remove") result.splice(at, 1);
          if (op === "add") result.push(value as OwnerReference);
        }
        expect(result).toEqual([...references.filter((_, at) => !gone[at]), ...(adds ? [toSet] : [])]);
      }),
    );
  });
});

function without({ controller: _, ...one }: OwnerReference): OwnerReference {
  return one;
}

function kinds(kind: string, apiVersion: string) {
  return { apiVersion, kind, plural: `${kind.toLowerCase()}s`, namespaced: true };
}
