import { describe, expect, test } from "vitest";
import type { Decision } from "../../../shared/decision.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import type { Client } from "../../../shared/kubernetes/client.ts";
import { type Kind, PersistentVolumeClaim, StatefulSet } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject, OwnerReference } from "../../../shared/kubernetes/object.ts";
import { policyKey, readPolicy } from "../../../shared/retention/policy.ts";
import { projected } from "../../../shared/retention/projected.ts";
import type { Fate, StatefulSet as StatefulSetLike } from "../../../shared/retention/stateful-set.ts";
import { notedOn, setOf } from "../../../shared/retention/testing/objects.ts";
import { deleteAtKey, retentionFinalizer } from "../../../shared/retention/traces.ts";
import { forgive } from "./rule.ts";

const both = "DeleteOnScaledownAndStatefulSetDeletion";
const projecting = "holdfast.dev/pvc-retention.project";
const marking = "holdfast.dev/pvc-retention.grace";
const owning = "holdfast.dev/pvc-retention.own";
const waiting = "holdfast.dev/waiting";
const progress = (step: string, more = {}) =>
  JSON.stringify({ v: 1, uid: "u1", step, since: "x", because: "y", ...more });

const reference = (kind: string, name: string, uid: string, blockOwnerDeletion = false): OwnerReference => ({
  apiVersion: kind === "Pod" ? "v1" : "apps/v1",
  kind,
  name,
  uid,
  controller: true,
  blockOwnerDeletion,
});
interface Case {
  policy?: string | undefined;
  field?: string | undefined;
  set?: Record<string, string>;
  claim?: object;
  rival?: string;
  pod?: boolean;
  deleting?: boolean;
  finalizers?: string[];
}
function decide({
  policy = "Retain",
  field = "Retain/Retain",
  set: annotations = {},
  claim = {},
  rival,
  pod,
  deleting,
  finalizers,
}: Case) {
  const [whenDeleted = "Retain", whenScaled = "Retain"] = field.split("/") as Fate[];
  const set: StatefulSetLike = {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: {
      name: "web",
      namespace: "shop",
      uid: "u1",
      resourceVersion: "1",
      annotations: { ...(policy === "none" ? {} : { [policyKey]: policy }), ...annotations },
      ...(deleting ? { deletionTimestamp: "2026-03-01T11:00:00Z" } : {}),
      ...(finalizers ? { finalizers } : {}),
    },
    spec: field === "absent" ? {} : { persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } },
  };
  const object: KubernetesObject = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data-web-0", namespace: "shop", uid: "c", resourceVersion: "9", ...claim },
  };
  const one = { claim: object, template: "data", ordinal: 0, inRange: true, pod: pod ? object : undefined, rival };
  return forgive.decide({ set, policy: readPolicy(set, undefined), claims: [one] }, 0, {});
}
const removed = ([decision]: readonly Decision[]) => {
  const [write] = decision?.do === "write" ? decision.writes : [];
  const operations =
    write?.verb === "patch" && write.type === "json" ? (write.patch as { op: string; path: string }[]) : [];
  return operations.filter(({ op }) => op === "remove").map(({ path }) => path.replace("/metadata/", ""));
};
const owned = (...ownerReferences: OwnerReference[]) => ({ ownerReferences });
const toSet = reference("StatefulSet", "web", "u1");
const inTrees = reference("StatefulSet", "web", "u1", true);
const ownerGoes = ["ownerReferences/0"];

describe("what is taken off a claim", () => {
  test.each<[string, Case, string[]]>([
    ["nothing is there", {}, []],
    ["our reference to the set", { claim: owned(toSet) }, ownerGoes],
    ["our reference to its pod, which is gone", { claim: owned(reference("Pod", "web-0", "p0")) }, ownerGoes],
    ["Kubernetes' own reference, left on a claim that has no pod any more", { claim: owned(inTrees) }, ownerGoes],
    [
      "Kubernetes' own reference on a claim with a pod: it takes that away itself",
      { pod: true, claim: owned(inTrees) },
      [],
    ],
    [
      "a reference like Kubernetes' own, by somebody else: it controls nothing",
      { claim: owned({ ...inTrees, controller: false }) },
      [],
    ],
    ["Kubernetes' own reference to an earlier set", { claim: owned({ ...inTrees, uid: "u0" }) }, []],
    [
      "Kubernetes' own reference, no policy any more",
      { policy: "none", set: { [projecting]: progress("given-back") }, claim: owned(inTrees) },
      ownerGoes,
    ],
    ["a reference to an earlier set of the name", { claim: owned(reference("StatefulSet", "web", "u0")) }, []],
    ["a reference to another pod", { claim: owned(reference("Pod", "web-1", "p1")) }, []],
    ["a reference of somebody else's", { claim: owned(reference("Custom", "web", "u1")) }, []],
    ["the field still deletes: project comes first", { field: "Delete/Retain", claim: owned(toSet) }, []],
    [
      "the field still deletes at a scale-down: project comes first",
      { field: "Retain/Delete", claim: owned(toSet) },
      [],
    ],
    ["a server without the field", { field: "absent", claim: owned(toSet) }, ownerGoes],
    ["an unreadable policy keeps all", { policy: "Never", claim: owned(toSet) }, ownerGoes],
    ["a policy that deletes", { policy: "DeleteOnScaledownOnly", claim: owned(toSet) }, []],
    ["contested", { rival: "b-web", claim: owned(toSet) }, []],
    ["the claim is being deleted", { claim: { ...owned(toSet), deletionTimestamp: "x" } }, []],
    ["the set is being deleted", { deleting: true, claim: owned(toSet) }, []],
    [
      "no policy, project has given back",
      { policy: "none", set: { [projecting]: progress("given-back") }, claim: owned(toSet) },
      ownerGoes,
    ],
    [
      "no policy, project has not come yet",
      { policy: "none", set: { [projecting]: progress("in-force") }, claim: owned(toSet) },
      [],
    ],
    ["no policy and no traces but the claim's own", { policy: "none", claim: owned(toSet) }, ["ownerReferences/0"]],
    [
      "a mark of ours, its progress and label",
      {
        claim: {
          annotations: { [deleteAtKey]: "t", [marking]: progress("marked", { next: "n" }) },
          labels: { [waiting]: "true" },
        },
      },
      [
        "annotations/holdfast.dev~1pvc-retention.grace",
        "annotations/holdfast.dev~1pvc-delete-at",
        "labels/holdfast.dev~1waiting",
      ],
    ],
    ["a mark of somebody's", { claim: { annotations: { [deleteAtKey]: "t" } } }, []],
    [
      "the label stays while another rule waits",
      {
        claim: {
          annotations: {
            [owning]: progress("owned"),
            "holdfast.dev/pvc-protection.release": progress("held", { next: "n" }),
          },
          labels: { [waiting]: "true" },
        },
      },
      ["annotations/holdfast.dev~1pvc-retention.own"],
    ],
  ])("%s", (_, one, expected) => {
    expect(removed(decide(one))).toEqual(expected);
  });
});

test("whoever was told that the claim goes is told that it stays", () => {
  const [decision] = decide({ claim: { annotations: { [deleteAtKey]: "t", [marking]: "{}" } } });
  expect(decision?.notice).toMatchObject({ type: "Normal", reason: "ClaimKept" });
});

test("what the rules warned of, whose notes are taken away, is not true any more", () => {
  const reasonsOf = (annotations: object) => decide({ claim: { annotations } })[0]?.retract;
  expect(reasonsOf({ [owning]: "{}" })).toEqual([
    { rule: "pvc-retention/own", reason: "ConflictingController" },
    { rule: "pvc-retention/own", reason: "OwnerReferenceTakenAway" },
  ]);
  expect(reasonsOf({ [marking]: "{}" })).toContainEqual({ rule: "pvc-retention/grace", reason: "DeletionScheduled" });
});

test("a set without a policy is forgotten when its claims are clean, and keeps what is not ours", () => {
  const set = { [projecting]: progress("given-back"), [owning]: "damaged", "holdfast.dev/look": "now" };
  const [decision] = decide({ policy: "none", set });
  const [write] = decision?.do === "write" ? decision.writes : [];
  expect(write).toMatchObject({
    verb: "patch",
    name: "web",
    patch: { metadata: { uid: "u1", resourceVersion: "1", annotations: { [projecting]: null, [owning]: null } } },
  });
  expect(JSON.stringify(write)).not.toContain("holdfast.dev/look");
});

test("a set without a policy is not forgotten while bequeath holds it, which writes down why", () => {
  const set = { [projecting]: progress("given-back"), "holdfast.dev/pvc-retention.bequeath": progress("keeping") };
  expect(decide({ policy: "none", set, finalizers: [retentionFinalizer] })).toEqual([]);
});

test("a set that keeps all keeps what says so", () => {
  expect(decide({ set: { [projecting]: progress("in-force") } })).toEqual([]);
});

describe("what wakes the rule", () => {
  const claim = (metadata: object = {}): KubernetesObject => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name: "data-web-1",
      namespace: "shop",
      uid: "u1",
      resourceVersion: "9",
      annotations: { [owning]: progress("owned") },
      ownerReferences: [toSet],
      ...metadata,
    },
  });
  const woken = (change: Hint["change"], object?: KubernetesObject) => {
    const hint = { id: "e", apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: "shop", name: "data-web-1" };
    return forgive.subjects({ ...hint, change, object }, {}).map(({ kind, name }) => `${kind.kind} ${name}`);
  };

  test.each<[string, KubernetesObject | undefined, string[]]>([
    ["a claim that own has given to its set", claim(), ["StatefulSet web"]],
    ["one that Kubernetes' controller gave, and own noted", claim(owned(inTrees)), ["StatefulSet web"]],
    ["one of which only the name is known", undefined, ["PersistentVolumeClaim data-web-1"]],
    ["one that own knows nothing of", claim({ annotations: {} }), []],
    ["one whose note was copied from another", claim({ uid: "another" }), []],
    ["one that belongs to nobody", claim({ ownerReferences: [] }), []],
    ["one that is being deleted", claim({ deletionTimestamp: "2026-03-01T11:00:00Z" }), []],
  ])("%s", (_, object, expected) => {
    expect(woken("update", object)).toEqual(expected);
    expect(woken("delete", object)).toEqual([]);
  });

  test.each<[string, KubernetesObject, string[]]>([
    ["a set with a policy", setOf({ policy: "Retain" }), ["StatefulSet web"]],
    ["one that is known to keep its claims", notedOn(setOf(), { policy: "Retain" }), ["StatefulSet web"]],
    ["one that has begun to", notedOn(setOf({ policy: "Retain" }), { policy: both }), ["StatefulSet web"]],
    ["one whose policy was given back", notedOn(setOf(), {}, projected.givenBack), ["StatefulSet web"]],
    ["one that is known not to keep them", notedOn(setOf({ policy: both }), { policy: both }), []],
    ["one without traces", setOf(), []],
  ])("%s", (_, set, expected) => {
    const hint = { id: "e", apiVersion: "apps/v1", kind: "StatefulSet", namespace: "shop", name: "web", object: set };
    const woken = forgive.subjects({ ...hint, change: "update" }, {});
    expect(woken.map(({ kind, name }) => `${kind.kind} ${name}`)).toEqual(expected);
  });

  const set = (annotations: Record<string, string> = {}): KubernetesObject => ({
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "web", namespace: "shop", uid: "u1", resourceVersion: "1", annotations },
    spec: { replicas: 1, volumeClaimTemplates: [{ metadata: { name: "data" } }] },
  });
  /** What is found from a subject, in a cluster of a claim and its set. */
  async function found(subject: Kind, name: string, ...objects: KubernetesObject[]) {
    const client = {
      get: async ({ kind }: Kind, _: unknown, name: string) =>
        objects.find((one) => one.kind === kind && one.metadata.name === name),
      async *list({ kind }: Kind) {
        yield* objects.filter((one) => one.kind === kind);
      },
    } as unknown as Client;
    const facts = await forgive.look({ kind: subject, namespace: "shop", name }, { client, settings: {} });
    return facts && removed(forgive.decide(facts, 0, {}));
  }
  const undone = [`annotations/${owning.replace("/", "~1")}`, "ownerReferences/0"];

  test("a set without policy and traces is passed over, and found by its claim", async () => {
    expect(await found(StatefulSet, "web", claim(), set())).toEqual([]);
    expect((await found(PersistentVolumeClaim, "data-web-1", claim(), set()))?.toSorted()).toEqual(undone);
  });

  test("a claim of a set whose policy goes on, of none, or that is gone itself is left alone", async () => {
    const policy = set({ [policyKey]: "DeleteOnStatefulSetDeletionOnly" });
    expect(await found(PersistentVolumeClaim, "data-web-1", claim(), policy)).toEqual([]);
    expect(await found(PersistentVolumeClaim, "data-web-1", claim())).toBeUndefined();
    expect(await found(PersistentVolumeClaim, "data-web-1", set())).toBeUndefined();
  });
});
