import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Decision } from "../../../shared/decision.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import type { KubernetesObject, OwnerReference } from "../../../shared/kubernetes/object.ts";
import { progressKey } from "../../../shared/progress.ts";
import { graceKey, policyKey, readPolicy } from "../../../shared/retention/policy.ts";
import type { Fate, StatefulSet } from "../../../shared/retention/stateful-set.ts";
import { notedOn, setOf } from "../../../shared/retention/testing/objects.ts";
import { own } from "./rule.ts";

const key = progressKey(own.name);
const now = Date.parse("2026-03-01T12:00:00Z");
const withSet = "DeleteOnStatefulSetDeletionOnly";
const onScale = "DeleteOnScaledownOnly";
const both = "DeleteOnScaledownAndStatefulSetDeletion";

const reference = (
  kind: string,
  name: string,
  uid: string,
  blockOwnerDeletion = false,
  controller = true,
): OwnerReference => ({
  apiVersion: kind === "Pod" ? "v1" : "apps/v1",
  kind,
  name,
  uid,
  controller,
  blockOwnerDeletion,
});
const toSet = reference("StatefulSet", "web", "u1");
const inTreeSet = reference("StatefulSet", "web", "u1", true);
const toPod = reference("Pod", "web-0", "p0");
const bare = reference("StatefulSet", "web", "u1", false, false);
const stale = reference("StatefulSet", "web", "earlier");
const custom = reference("Custom", "db", "c1");
const plain = reference("ConfigMap", "anchor", "a1", false, false);

interface Case {
  policy?: string;
  /** `absent` on a server without it. */
  field?: string;
  owners?: OwnerReference[];
  pod?: boolean;
  ordinal?: number;
  grace?: string;
  annotations?: Record<string, string>;
  deleting?: boolean;
  rival?: string;
  relabelled?: boolean;
  setDeleting?: boolean;
}
/** A set of two replicas and one of its claims. */
function decide(
  { policy = withSet, field = "Delete/Retain", owners, pod = false, ordinal = 0, ...more }: Case,
  at = now,
) {
  const [whenDeleted, whenScaled] = field.split("/") as Fate[];
  const deletion = { deletionTimestamp: "2026-03-01T11:00:00Z" };
  const set: StatefulSet = {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: {
      name: "web",
      namespace: "shop",
      uid: "u1",
      resourceVersion: "1",
      annotations: { [policyKey]: policy, ...(more.grace ? { [graceKey]: more.grace } : {}) },
      ...(more.setDeleting ? deletion : {}),
    },
    spec: {
      replicas: 2,
      ...(whenDeleted && whenScaled ? { persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } } : {}),
    },
  };
  const object = (kind: string, name: string, uid: string, metadata: object = {}): KubernetesObject => ({
    apiVersion: "v1",
    kind,
    metadata: { name, namespace: "shop", uid, resourceVersion: "9", ...metadata },
  });
  const claim = object("PersistentVolumeClaim", `data-web-${ordinal}`, "c", {
    ...(owners ? { ownerReferences: owners } : {}),
    ...(more.annotations ? { annotations: more.annotations } : {}),
    ...(more.deleting ? deletion : {}),
  });
  const one = {
    claim,
    template: "data",
    ordinal,
    inRange: ordinal < 2,
    pod: pod ? object("Pod", `web-${ordinal}`, `p${ordinal}`) : undefined,
    rival: more.rival,
    relabelled: more.relabelled ?? false,
  };
  return own.decide({ set, policy: readPolicy(set, undefined), claims: [one] }, at, {})[0];
}
interface Operation {
  op: string;
  path: string;
  value?: unknown;
}
const operations = (decision: Decision | undefined) => {
  const [write] = decision?.do === "write" ? decision.writes : [];
  return write?.verb === "patch" ? (write.patch as Operation[]) : [];
};
/** The owners that are left after the decision, `undefined` when it writes nothing. */
function ownersAfter(decision: Decision | undefined, before: OwnerReference[] = []): string[] | undefined {
  if (decision?.do !== "write") return undefined;
  let owners = [...before];
  for (const { op, path, value } of operations(decision)) {
    const [, index] = /^\/metadata\/ownerReferences\/(\d+)$/.exec(path) ?? [];
    if (op === "remove" && index) owners.splice(Number(index), 1);
    else if (op === "add" && path === "/metadata/ownerReferences") owners = value as OwnerReference[];
    else if (op === "add" && path === "/metadata/ownerReferences/-") owners.push(value as OwnerReference);
  }
  return owners.map(({ kind, name, controller }) => `${kind} ${name}${controller ? "" : " (plain)"}`);
}

describe("owners of a claim", () => {
  const set = ["StatefulSet web"];
  test.each<[string, Case, string[] | undefined]>([
    ["no pod: it is given to the set", {}, set],
    ["a pod: Kubernetes' own controller sees to it", { pod: true }, undefined],
    ["scaled away earlier", { ordinal: 5 }, set],
    ["scaled away, and deleted at that: condemn's", { policy: both, field: "Delete/Delete", ordinal: 5 }, undefined],
    [
      "scaled away, and deleted at that, not in force: condemn's",
      { policy: both, field: "Retain/Retain", ordinal: 5, owners: [toSet] },
      undefined,
    ],
    ["in range, deleted both ways", { policy: both, field: "Delete/Delete" }, set],
    [
      "in range, deleted at a scale-down only: nobody's",
      { policy: onScale, field: "Retain/Delete", owners: [toSet] },
      [],
    ],
    [
      "in range, deleted at a scale-down only, Kubernetes' own reference",
      { policy: onScale, field: "Retain/Delete", owners: [inTreeSet] },
      [],
    ],
    [
      "the same while the field still says otherwise",
      { policy: onScale, field: "Delete/Retain", owners: [inTreeSet] },
      undefined,
    ],
    ["the same with a pod", { policy: onScale, field: "Retain/Delete", owners: [inTreeSet], pod: true }, undefined],
    [
      "scaled away, deleted at a scale-down only: condemn's",
      { policy: onScale, field: "Retain/Delete", owners: [toSet], ordinal: 5 },
      undefined,
    ],
    [
      "the same, kept for the sake of another owner: not to go with the set",
      { policy: onScale, field: "Retain/Delete", owners: [plain, toSet], ordinal: 5 },
      ["ConfigMap anchor (plain)"],
    ],
    [
      "kept for a while first: what Kubernetes' own controller has left goes, too",
      { grace: "24h", field: "Retain/Retain", owners: [plain, inTreeSet], ordinal: 5 },
      ["ConfigMap anchor (plain)"],
    ],
    ["right as it is", { owners: [toSet] }, undefined],
    ["right by Kubernetes' own controller", { owners: [inTreeSet] }, undefined],
    ["without the controller's flag: repaired", { owners: [bare] }, set],
    ["of another incarnation", { owners: [stale] }, undefined],
    ["of a pod that is gone", { owners: [toPod] }, undefined],
    ["beside somebody who controls nothing", { owners: [plain] }, ["ConfigMap anchor (plain)", ...set]],
    ["beside another controller: ours goes", { owners: [custom, bare], field: "absent" }, ["Custom db"]],
    [
      "the policy is not in force: ours goes",
      { field: "Retain/Retain", owners: [toSet, plain] },
      ["ConfigMap anchor (plain)"],
    ],
    ["kept for a while first: ours goes", { grace: "24h", field: "Retain/Retain", owners: [toSet] }, []],
    ["contested", { rival: "b-web" }, undefined],
    ["with other labels than the set's claims", { relabelled: true }, undefined],
    ["with other labels, and the set's all the same", { relabelled: true, owners: [inTreeSet] }, undefined],
    [
      "with other labels, and not to go with the set any more",
      { relabelled: true, policy: onScale, field: "Retain/Delete", owners: [inTreeSet] },
      [],
    ],
    ["being deleted", { deleting: true }, undefined],
    ["of a set being deleted", { setDeleting: true }, undefined],
    ["of a set that keeps all", { policy: "Retain", owners: [toSet] }, undefined],
    ["no field: given to the set beside its pod", { field: "absent", pod: true }, set],
    [
      "no field: from the pod back to the set, scaled up again",
      { policy: both, field: "absent", pod: true, owners: [toPod] },
      set,
    ],
    [
      "no field: from the pod to nobody, scaled up again",
      { policy: onScale, field: "absent", pod: true, owners: [toPod] },
      [],
    ],
    ["no field: a reference of anybody's to the set", { policy: onScale, field: "absent", owners: [bare] }, []],
    [
      "no field: the set's beside one to the pod that controls nothing",
      { field: "absent", pod: true, owners: [toSet, { ...toPod, controller: false }] },
      set,
    ],
    [
      "somebody else's value of the field deletes with the set, and keeps at a scale-down what the policy deletes",
      { policy: both, field: "Delete/Retain" },
      undefined,
    ],
  ])("%s", (_, one, expected) => {
    expect(ownersAfter(decide(one), one.owners)).toEqual(expected);
  });
});

test("another controller is told of, once nothing of ours is left", () => {
  const decision = decide({ owners: [custom] });
  expect(decision).toMatchObject({
    do: "wait",
    step: { name: "conflicting" },
    notice: { type: "Warning", reason: "ConflictingController" },
  });
  expect(decision?.notice?.note).toContain("Custom db");
});

test("a claim that stays behind for its labels is told of, and one that goes for its reference is not", () => {
  const notice = { type: "Normal", reason: "ClaimRelabelled" };
  expect(decide({ relabelled: true })).toMatchObject({ do: "tell", notice });
  expect(decide({ relabelled: true, owners: [inTreeSet] })).toBeUndefined();
});

test("a reference that is taken away again and again is put on three times, then left off", () => {
  let annotations: Record<string, string> = {};
  for (const _ of [1, 2, 3]) {
    const decision = decide({ annotations });
    expect(ownersAfter(decision)).toEqual(["StatefulSet web"]);
    const written = operations(decision).find(
      ({ op, path }) => op === "add" && path.startsWith("/metadata/annotations/"),
    );
    annotations = { [key]: String(written?.value) };
  }
  expect(decide({ annotations })).toMatchObject({
    do: "stop",
    notice: { type: "Warning", reason: "OwnerReferenceTakenAway" },
  });
  expect(ownersAfter(decide({ annotations }, now + 7_200_000))).toEqual(["StatefulSet web"]);
});

describe("what is written down about a claim's reference", () => {
  const noted = (step: string, more: object) => ({
    [key]: JSON.stringify({ v: 1, uid: "c", step, since: "2026-03-01T11:00:00Z", because: "So.", ...more }),
  });
  const given = { given: "2026-03-01T11:59:00Z", attempt: 3 };

  test("once it was left off it stays off, however long after", () => {
    const annotations = noted("fought-over", { owner: "u1", attempt: 4 });
    expect(decide({ annotations }, now + 7_200_000)).toMatchObject({ do: "stop", step: { name: "fought-over" } });
  });

  test("is written where Kubernetes' own controller gave it to a claim that has no pod any more, once", () => {
    const left: Case = { owners: [inTreeSet], ordinal: 5 };
    expect(decide(left)).toMatchObject({ do: "wait", step: { name: "owned", details: { owner: "u1" } } });
    expect(decide({ ...left, annotations: noted("owned", { owner: "u1", ...given }) })).toBeUndefined();
    expect(decide({ ...left, ordinal: 0, pod: true })).toBeUndefined();
  });

  test("of an earlier set counts for nothing", () => {
    const [, , added] = operations(decide({ annotations: noted("owned", { owner: "earlier", ...given }) }));
    expect(added).toMatchObject({ op: "add", path: "/metadata/ownerReferences" });
    expect(operations(decide({ annotations: noted("owned", { owner: "earlier", ...given }) })).at(-1)?.value).toContain(
      '"attempt":1',
    );
  });

  test("takes back what was told, once it is not true any more", () => {
    const conflicting = noted("conflicting", { controller: "Custom/db" });
    expect(decide({ annotations: conflicting })).toMatchObject({ do: "write", retract: ["ConflictingController"] });
    expect(decide({ annotations: conflicting, owners: [custom] })).toMatchObject({ retract: [] });
    const foughtOver = noted("fought-over", { owner: "u1", attempt: 4 });
    expect(decide({ annotations: foughtOver, owners: [toSet] })).toMatchObject({
      do: "leave",
      retract: ["OwnerReferenceTakenAway"],
    });
  });

  test("goes in the patch that takes the reference off, and by itself where none is left", () => {
    const annotations = noted("owned", { owner: "u1", ...given });
    const keep: Case = { grace: "24h", field: "Retain/Retain", annotations };
    const path = `/metadata/annotations/${key.replace("/", "~1")}`;
    expect(operations(decide({ ...keep, owners: [toSet] }))).toContainEqual({ op: "remove", path });
    expect(decide(keep)).toMatchObject({ do: "leave" });
    expect(decide({ ...keep, annotations: {} })).toBeUndefined();
  });
});

describe("what wakes the rule", () => {
  const object = (metadata: object): KubernetesObject => ({
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "web", namespace: "shop", uid: "u1", resourceVersion: "1", ...metadata },
  });
  const policy = { annotations: { [policyKey]: withSet } };
  const woken = (change: Hint["change"], object: KubernetesObject | undefined) =>
    own.subjects(
      { id: "e", change, apiVersion: "apps/v1", kind: "StatefulSet", namespace: "shop", name: "web", object },
      {},
    );

  test.each<[string, Hint["change"], KubernetesObject | undefined, boolean]>([
    ["a set with a policy", "update", object(policy), true],
    [
      "a set that is known to keep its claims",
      "update",
      notedOn(setOf({ policy: "Retain" }), { policy: "Retain" }),
      false,
    ],
    ["a set that is known not to", "update", notedOn(setOf({ policy: withSet }), { policy: withSet }), true],
    ["a set of which only the name is known", "sweep", undefined, true],
    ["a set without traces", "update", object({}), false],
    ["a set that is being deleted", "update", object({ ...policy, deletionTimestamp: "2026-03-01T11:00:00Z" }), false],
    ["a set that is gone", "delete", object(policy), false],
  ])("%s", (_, change, object, isWoken) => {
    expect(woken(change, object).length).toBe(isWoken ? 1 : 0);
  });
});

test("every patch is guarded, never leaves two controllers, and touches nobody else's references", () => {
  const owners = fc
    .subarray([toSet, toPod, bare, custom, plain])
    .filter((list) => list.filter(({ controller }) => controller).length < 2);
  fc.assert(
    fc.property(
      owners,
      fc.constantFrom(withSet, onScale, both),
      fc.constantFrom("Delete/Retain", "Retain/Delete", "Delete/Delete", "Retain/Retain", "absent"),
      fc.boolean(),
      fc.integer({ min: 0, max: 3 }),
      (owners, policy, field, pod, ordinal) => {
        const decision = decide({ owners, policy, field, pod, ordinal });
        const after = ownersAfter(decision, owners);
        if (!after) return;
        expect(
          operations(decision)
            .slice(0, 2)
            .map(({ op, path }) => `${op} ${path}`),
        ).toEqual(["test /metadata/uid", "test /metadata/resourceVersion"]);
        expect(after.filter((owner) => !owner.endsWith("(plain)")).length).toBeLessThan(2);
        for (const kept of ["Custom db", "ConfigMap anchor (plain)"])
          expect(after.includes(kept)).toBe(owners.some(({ name }) => kept.includes(` ${name}`)));
      },
    ),
  );
});
