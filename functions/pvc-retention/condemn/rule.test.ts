import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Decision } from "../../../shared/decision.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import type { KubernetesObject, OwnerReference } from "../../../shared/kubernetes/object.ts";
import { nextProgress, progressKey } from "../../../shared/progress.ts";
import { markingRule } from "../../../shared/retention/mark.ts";
import type { Fate } from "../../../shared/retention/stateful-set.ts";
import {
  claimOf,
  lookedAt,
  noon,
  notedOn,
  podOf,
  reference,
  setOf,
  uidOfSet,
} from "../../../shared/retention/testing/objects.ts";
import { condemn } from "./rule.ts";

const both = "DeleteOnScaledownAndStatefulSetDeletion";
const scaled = "DeleteOnScaledownOnly";
const deleted = "DeleteOnStatefulSetDeletionOnly";
const deleting = { deletionTimestamp: "2026-03-01T11:59:00Z" };
const protection = ["kubernetes.io/pvc-protection"];
const toSet = reference("StatefulSet", "web", uidOfSet);

interface Case {
  policy?: string;
  delay?: string;
  /** `absent` on a server without the field. */
  field?: string;
  ordinal?: number;
  pod?: "running" | "deleting" | "foreign";
  owners?: OwnerReference[];
  claim?: object;
  set?: object;
  spec?: object;
  rival?: string;
  relabelled?: boolean;
}

/** A set of one replica, and a claim: of ordinal 1 if nothing else is said, which was scaled away. */
function decide({ policy = both, field = "Delete/Delete", ordinal = 1, ...more }: Case): Decision | undefined {
  const [whenDeleted, whenScaled] = field.split("/") as Fate[];
  const inForce =
    whenDeleted && whenScaled ? { persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } } : {};
  const set = setOf(
    { policy, ...(more.delay ? { delay: more.delay } : {}), ...more.set },
    { ...inForce, ...more.spec },
  );
  const owners = more.owners ? { ownerReferences: more.owners } : {};
  const claim = claimOf(ordinal, { finalizers: protection, ...owners, ...more.claim });
  const pods = { running: {}, deleting, foreign: { ownerReferences: [] } };
  const pod = more.pod && podOf(ordinal, pods[more.pod]);
  return condemn.decide(
    lookedAt(set, [{ claim, pod, rival: more.rival, relabelled: more.relabelled ?? false }]),
    noon,
    {},
  )[0];
}

/** What happens to the claim. */
function fate(decision: Decision | undefined): string {
  if (decision?.do !== "write") return decision?.do ?? "nothing";
  const [write] = decision.writes;
  if (write?.verb === "delete") {
    expect(write.options).toEqual({ uid: decision.about.metadata.uid, resourceVersion: "9" });
    return "deleted";
  }
  return "given to its pod";
}

const born = { creationTimestamp: "2026-03-01T11:00:00Z" };
const older = { creationTimestamp: "2026-03-01T10:59:59Z" };
const usedBy = (setUid: string) => {
  const text = nextProgress(claimOf(1), condemn.name, { name: "used", details: { setUid } }, "It is.", noon) ?? "";
  return { annotations: { [progressKey(condemn.name)]: text } };
};
const marked = { annotations: { [progressKey(markingRule)]: progress("marked") } };
const saved = { annotations: { [progressKey(markingRule)]: progress("saved") } };
function progress(name: string): string {
  const details = { set: "web", setUid: uidOfSet, cause: "scaled-down", policy: both };
  return nextProgress(claimOf(1), markingRule, { name, details }, "It is.", noon) ?? "";
}

describe("a claim whose replica was scaled away, and whose pod is gone", () => {
  test.each<[string, Case, string]>([
    ["goes", {}, "deleted"],
    ["goes with DeleteOnScaledownOnly", { policy: scaled, field: "Retain/Delete" }, "deleted"],
    ["goes when the field was not projected", { policy: scaled, field: "Retain/Retain" }, "deleted"],
    ["goes on a server without the field", { field: "absent" }, "deleted"],
    ["goes though it refers to the set", { owners: [toSet] }, "deleted"],
    ["goes below ordinals.start", { ordinal: 0, spec: { ordinals: { start: 1 } } }, "deleted"],
    ["goes with replicas 0", { ordinal: 0, spec: { replicas: 0 } }, "deleted"],
    ["stays with Retain", { policy: "Retain" }, "nothing"],
    ["stays with a policy that nobody knows", { policy: "delete" }, "nothing"],
    ["stays with DeleteOnStatefulSetDeletionOnly", { policy: deleted }, "nothing"],
    ["stays while the set is being deleted", { set: { ...deleting, finalizers: ["x.example/y"] } }, "nothing"],
    ["is grace's where it is kept for a while", { delay: "24h" }, "nothing"],
    ["stays with a delay that cannot be read", { delay: "soon" }, "nothing"],
    ["stays until its time when it was marked", { claim: marked }, "nothing"],
    ["stays when somebody saved it", { claim: saved }, "nothing"],
    ["stays in range", { ordinal: 0 }, "nothing"],
    ["stays in range with ordinals.start", { spec: { ordinals: { start: 1 } } }, "nothing"],
    ["is not deleted twice", { claim: deleting }, "nothing"],
    ["stays when another set yields its name", { rival: "shop-web" }, "tell"],
    ["stays when it is older than the set, which may never have used it", { claim: older, set: born }, "tell"],
    [
      "goes when it is older and the set was seen to use it",
      { claim: { ...older, ...usedBy(uidOfSet) }, set: born },
      "deleted",
    ],
    ["stays when it was an earlier set that used it", { claim: { ...older, ...usedBy("u0") }, set: born }, "tell"],
    [
      "goes when it is as old as the set",
      { claim: { creationTimestamp: born.creationTimestamp }, set: born },
      "deleted",
    ],
    ["stays when it has other labels than the set's claims", { relabelled: true }, "tell"],
    ["stays when another controller has it", { owners: [reference("Custom", "db", "x")] }, "tell"],
    [
      "stays when somebody owns it as well",
      { owners: [reference("Custom", "db", "x", { controller: false })] },
      "tell",
    ],
    ["is left to the garbage collector when its owner is gone", { owners: [reference("Pod", "web-1", "p1")] }, "leave"],
    ["stays when it is an earlier set's", { owners: [{ ...toSet, uid: "u0" }] }, "leave"],
  ])("%s", (_, facts, expected) => {
    expect(fate(decide(facts))).toBe(expected);
  });
});

describe("a claim that is wanted", () => {
  const use = { ordinal: 0, pod: "running", claim: older, set: born } as const;
  test.each<[string, Case, boolean]>([
    ["is noted as used when it is older than the set, and a pod of the set has it", use, true],
    ["is not noted when it is the set's own", { ...use, claim: born }, false],
    ["is not noted without a pod", { ordinal: 0, claim: older, set: born }, false],
    ["is not noted under a pod that is not the set's", { ...use, pod: "foreign" }, false],
    ["is not noted when another set yields its name", { ...use, rival: "shop-web" }, false],
    ["is not noted when it is being deleted", { ...use, claim: { ...older, ...deleting }, pod: "deleting" }, false],
  ])("%s", (_, facts, isNoted) => {
    const decision = decide(facts);
    if (isNoted) expect(decision).toMatchObject({ do: "wait", step: { name: "used", details: { setUid: uidOfSet } } });
    else expect(decision).toBeUndefined();
  });
});

describe("a claim whose replica was scaled away, and whose pod is there", () => {
  test.each<[string, Case, string]>([
    ["is left to Kubernetes where its field says so", { pod: "running" }, "wait"],
    ["is left to Kubernetes to the end", { pod: "deleting" }, "wait"],
    ["waits where the field was not projected", { field: "Retain/Retain", pod: "running" }, "wait"],
    ["goes when the pod terminates, ahead of a scale-up", { field: "Retain/Retain", pod: "deleting" }, "deleted"],
    [
      "waits for the pod when nothing protects it",
      { field: "Retain/Retain", pod: "deleting", claim: { finalizers: [] } },
      "wait",
    ],
    ["is given to the pod on a server without the field", { field: "absent", pod: "running" }, "given to its pod"],
    ["is not given to a pod that is not the set's", { field: "absent", pod: "foreign" }, "wait"],
    [
      "is given to the pod once",
      { field: "absent", pod: "running", owners: [reference("Pod", "web-1", "p1")] },
      "wait",
    ],
    [
      "goes when the pod terminates and Holdfast's own protection holds it",
      { field: "Retain/Retain", pod: "deleting", claim: { finalizers: ["holdfast.dev/pvc-protection"] } },
      "deleted",
    ],
    ["goes at once without the field, too, when the pod terminates", { field: "absent", pod: "deleting" }, "deleted"],
    [
      "stays when somebody else controls it",
      { field: "absent", pod: "running", owners: [reference("Custom", "db", "x")] },
      "tell",
    ],
  ])("%s", (_, facts, expected) => {
    expect(fate(decide(facts))).toBe(expected);
  });

  test("changes hands in one patch: an object has one controller", () => {
    const decision = decide({ field: "absent", pod: "running", owners: [toSet] });
    expect(decision?.do === "write" && decision.writes).toMatchObject([
      {
        verb: "patch",
        patch: [
          { op: "test", path: "/metadata/uid", value: "c1" },
          { op: "test", path: "/metadata/resourceVersion", value: "9" },
          { op: "test", value: uidOfSet },
          { op: "remove", path: "/metadata/ownerReferences/0" },
          { op: "add", value: { kind: "Pod", name: "web-1", uid: "p1", controller: true, blockOwnerDeletion: false } },
        ],
      },
    ]);
  });
});

describe("a claim in range that is being deleted", () => {
  test("is told of, when a pod uses it: nobody can take it back", () => {
    const decision = decide({ ordinal: 0, pod: "running", claim: deleting });
    expect(decision).toMatchObject({ do: "tell", notice: { type: "Warning", reason: "ReplicaOnDeletedClaim" } });
  });

  test.each<[string, Case]>([
    ["has no pod", {}],
    ["has a pod that goes, too", { pod: "deleting" }],
  ])("is waited for when it %s", (_, facts) => {
    expect(decide({ ordinal: 0, claim: deleting, ...facts })).toBeUndefined();
  });
});

describe("subjects", () => {
  const hint = (change: Hint["change"], object: KubernetesObject | undefined, kind = object?.kind ?? "Pod"): Hint => ({
    id: "e",
    change,
    apiVersion: "v1",
    kind,
    namespace: "shop",
    name: object?.metadata.name ?? "web-1",
    object,
  });
  const withClaim = { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data-web-1" } }] };
  const pod = (metadata: object = {}, spec: object = withClaim) => ({ ...podOf(1, metadata), spec });
  const nudged = {
    [progressKey("pvc-retention/condemn")]:
      nextProgress(
        setOf(),
        "pvc-retention/condemn",
        { name: "nudged", details: { claim: "data-web-1" } },
        "So.",
        noon,
      ) ?? "",
  };
  const deployed = { ownerReferences: [reference("ReplicaSet", "web", "r")] };

  test.each<[string, Hint, string | undefined]>([
    ["a set with a policy", hint("update", setOf({ policy: both })), "web"],
    [
      "one that is known to delete at a scale-down",
      hint("update", notedOn(setOf({ policy: both }), { policy: both })),
      "web",
    ],
    ["one that is known to keep", hint("update", notedOn(setOf({ policy: deleted }), { policy: deleted })), undefined],
    [
      "one that is known to delete later",
      hint("update", notedOn(setOf({ policy: both, delay: "60s" }), { policy: both, grace: "60s" })),
      undefined,
    ],
    ["one that kept until now", hint("update", notedOn(setOf({ policy: both }), { policy: "Retain" })), "web"],
    [
      "one that keeps, and was nudged before",
      hint("update", notedOn(setOf({ policy: deleted, annotations: nudged }), { policy: deleted })),
      "web",
    ],
    ["a set without any trace", hint("update", setOf()), undefined],
    ["a set being deleted", hint("update", setOf({ policy: both, ...deleting })), undefined],
    ["a set that is gone", hint("delete", setOf({ policy: both })), undefined],
    ["a set of which only the name is known", hint("update", undefined, "StatefulSet"), "web-1"],
    ["a set that the sweep found", hint("sweep", undefined, "StatefulSet"), "web-1"],
    ["a pod of a set that is gone", hint("delete", pod()), "web"],
    ["a pod that nobody controls any more", hint("delete", pod({ ownerReferences: [] })), "web"],
    ["a pod of which only the name is known", hint("delete", undefined), "web"],
    ["a pod of a Deployment", hint("delete", pod(deployed)), undefined],
    ["a pod without claims", hint("delete", pod({}, { volumes: [] })), undefined],
    ["a pod that goes on", hint("update", pod()), undefined],
  ])("%s", (_, hint, name) => {
    expect(condemn.subjects(hint, {}).map((subject) => subject.name)).toEqual(name === undefined ? [] : [name]);
  });
});

describe("whatever the facts", () => {
  const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
  const owner = fc.constantFrom(
    toSet,
    { ...toSet, uid: "u0" },
    reference("Pod", "web-1", "p1"),
    reference("Custom", "db", "x"),
    reference("Custom", "db", "x", { controller: false }),
  );
  const cases = fc.record(
    {
      policy: fc.constantFrom(both, scaled, deleted, "Retain", "nonsense"),
      delay: fc.constantFrom("24h", "soon", "0s"),
      field: fc.constantFrom("Delete/Delete", "Retain/Delete", "Retain/Retain", "absent"),
      ordinal: fc.nat(2),
      pod: fc.constantFrom("running" as const, "deleting" as const, "foreign" as const),
      owners: fc.array(owner, { maxLength: 2 }),
      claim: fc.constantFrom({}, marked, saved, { finalizers: [] }),
      rival: fc.constant("shop-web"),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Case>;

  test("no claim goes that is in range, kept by the policy, somebody else's, or under a running pod", () => {
    fc.assert(
      fc.property(cases, (facts) => {
        if (fate(decide(facts)) !== "deleted") return;
        expect(facts.ordinal ?? 1).toBeGreaterThan(0);
        expect([both, scaled]).toContain(facts.policy ?? both);
        expect([undefined, "0s"]).toContain(facts.delay);
        expect(facts.rival).toBeUndefined();
        expect([undefined, "deleting"]).toContain(facts.pod);
        // Written for claim 1; on another, a copy says nothing.
        if ((facts.ordinal ?? 1) === 1) expect([marked, saved]).not.toContain(facts.claim);
        const foreign = (facts.owners ?? []).filter(({ kind, uid }) => kind === "Custom" || uid === "u0");
        expect(foreign).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test("an owner, a pod or a rival more never deletes what stayed", () => {
    fc.assert(
      fc.property(cases, optional(owner), fc.boolean(), (facts, more, rival) => {
        const safer = {
          ...facts,
          ...(more ? { owners: [...(facts.owners ?? []), more] } : {}),
          ...(rival ? { rival: "shop-web" } : {}),
        };
        if (fate(decide(facts)) !== "deleted" && more?.kind !== "Pod") expect(fate(decide(safer))).not.toBe("deleted");
        expect(decide(facts)).toEqual(decide(facts));
      }),
    );
  });
});
