import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Decision } from "../../../shared/decision.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import type { KubernetesObject, OwnerReference } from "../../../shared/kubernetes/object.ts";
import { nextProgress, progressKey } from "../../../shared/progress.ts";
import { cascading, deletingRule } from "../../../shared/retention/cascade.ts";
import { type Cause, markingRule } from "../../../shared/retention/mark.ts";
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
import { deleteAtKey, retentionFinalizer } from "../../../shared/retention/traces.ts";
import type { Evidence } from "./evidence.ts";
import { bequeath } from "./rule.ts";

const both = "DeleteOnScaledownAndStatefulSetDeletion";
const scaled = "DeleteOnScaledownOnly";
const deleted = "DeleteOnStatefulSetDeletionOnly";
const deletionTimestamp = "2026-03-01T11:59:00Z";
const toSet = reference("StatefulSet", "web", uidOfSet);
const inTreeSet = { ...toSet, blockOwnerDeletion: true };
const toPod = reference("Pod", "web-0", "p0");
const custom = reference("Custom", "db", "x");

interface Case {
  policy?: string | undefined;
  delay?: string;
  evidence?: Evidence;
  /** Beside ours. */
  finalizers?: string[];
  /** Written down before, and when. */
  recorded?: number;
  owners?: OwnerReference[];
  claim?: object;
  pod?: boolean;
  rival?: string;
}

/** A set that is being deleted, and one claim of it. */
function decide(
  { policy = both, evidence = "cascade", finalizers = [], ...more }: Case,
  at = noon,
): readonly Decision[] {
  const deleting = { deletionTimestamp, finalizers: [retentionFinalizer, ...finalizers] };
  const plain = setOf({ ...(policy ? { policy } : {}), ...(more.delay ? { delay: more.delay } : {}), ...deleting });
  const text =
    more.recorded === undefined
      ? {}
      : {
          [progressKey(deletingRule)]:
            nextProgress(plain, deletingRule, { name: cascading }, "So.", more.recorded) ?? "",
        };
  const set = { ...plain, metadata: { ...plain.metadata, annotations: { ...plain.metadata.annotations, ...text } } };
  const claim = claimOf(0, { ...(more.owners ? { ownerReferences: more.owners } : {}), ...more.claim });
  return bequeath.decide(
    { ...lookedAt(set, [{ claim, pod: more.pod ? podOf(0) : undefined, rival: more.rival }]), evidence },
    at,
    {},
  );
}

const markOf = (step: string, cause: Cause, setUid = uidOfSet) => {
  const details = { set: "web", setUid, cause, policy: both };
  const text = nextProgress(claimOf(0), markingRule, { name: step, details }, "It is.", noon) ?? "";
  return { annotations: { [progressKey(markingRule)]: text, [deleteAtKey]: "2026-03-02T12:00:00Z" } };
};

/** In words, what the decisions come to. */
function story(decisions: readonly Decision[]): string[] {
  return decisions.map((decision) => {
    const { kind } = decision.about;
    if (decision.do === "wait") return `set waits: ${decision.step?.name}`;
    if (decision.do !== "write") return decision.do;
    const [write] = decision.writes;
    const text = JSON.stringify(write);
    if (kind === "StatefulSet") return text.includes('"op":"remove"') ? "set goes" : "set is held";
    if (text.includes('"op":"add"')) return "claim refers to the set";
    return text.includes('"op":"remove"') ? "claim is released" : "mark is taken away";
  });
}

describe("a set that lives", () => {
  const decideAlive = (set: ReturnType<typeof setOf>) => story(bequeath.decide(lookedAt(set, []), noon, {}));
  const held = { finalizers: ["a.example/x", retentionFinalizer] };

  test.each<[string, ReturnType<typeof setOf>, string[]]>([
    ["is held when its claims go with it", setOf({ policy: deleted }), ["set is held"]],
    ["is held when they go with it later", setOf({ policy: both, delay: "24h" }), ["set is held"]],
    ["is held once", setOf({ policy: both, ...held }), []],
    ["is not held when claims go at a scale-down only", setOf({ policy: scaled }), []],
    ["is not held without policy", setOf(), []],
    ["is not held without templates", setOf({ policy: both }, { volumeClaimTemplates: [] }), []],
    ["is let go when the policy turns to Retain", setOf({ policy: "Retain", ...held }), ["set goes"]],
    ["is let go when nobody can read the policy", setOf({ policy: "retain!", ...held }), ["set goes"]],
    ["is let go when the policy is taken away", setOf(held), ["set goes"]],
  ])("%s", (_, set, expected) => {
    expect(decideAlive(set)).toEqual(expected);
  });

  const claims = (...owners: OwnerReference[]) => [{ claim: claimOf(3, { ownerReferences: owners }) }];
  const noted = (step: string, since = noon) => ({
    [progressKey(deletingRule)]: nextProgress(setOf(), deletingRule, { name: step }, "So.", since) ?? "",
  });
  const dueAt = (next: number) => ({
    [progressKey(deletingRule)]: nextProgress(setOf(), deletingRule, { name: "keeping" }, "So.", noon, next) ?? "",
  });
  const projected = (step: string) => ({
    "holdfast.dev/pvc-retention.project":
      nextProgress(setOf(), "pvc-retention/project", { name: step }, "So.", noon) ?? "",
  });
  const turned = (owners: OwnerReference[], annotations: Record<string, string> = {}, field?: "Delete" | "Retain") => {
    const spec = field
      ? { persistentVolumeClaimRetentionPolicy: { whenDeleted: field, whenScaled: "Retain" as const } }
      : {};
    return bequeath.decide(
      lookedAt(setOf({ policy: "Retain", ...held, annotations }, spec), claims(...owners)),
      noon,
      {},
    );
  };

  test.each<[string, OwnerReference[], string[]]>([
    ["our reference to the set", [toSet], ["set waits: keeping"]],
    ["that of Kubernetes' own controller", [inTreeSet], ["set waits: keeping"]],
    ["one to an earlier set of the name", [{ ...toSet, uid: "u0" }], ["set goes"]],
    ["somebody else's", [custom], ["set goes"]],
  ])("whose policy turns to Retain is held until no claim would go with it: %s", (_, owners, expected) => {
    expect(story(turned(owners))).toEqual(expected);
    expect(story(turned(owners, projected("in-force"), "Delete"))).toEqual(expected);
  });

  test("is let go when the references are as somebody else's value of the field wants them", () => {
    for (const step of ["held", "fought-over"]) {
      expect(story(turned([inTreeSet], projected(step), "Delete"))).toEqual(["set goes"]);
      expect(story(turned([inTreeSet], projected(step), "Retain"))).toEqual(["set waits: keeping"]);
    }
  });

  test.each<[string, OwnerReference, string | undefined, string[]]>([
    ["and the field deletes by somebody else's value", inTreeSet, "helm", ["set goes"]],
    ["and the field is not given back yet", inTreeSet, "holdfast-pvc-retention", ["set waits: keeping"]],
    ["and nobody knows whose the field is", inTreeSet, undefined, ["set waits: keeping"]],
    [
      "and a claim carries a reference that somebody wrote themselves",
      { ...toSet, controller: false },
      "holdfast-pvc-retention",
      ["set goes"],
    ],
  ])("whose policy is taken away: %s", (_, owner, manager, expected) => {
    const field = { "f:persistentVolumeClaimRetentionPolicy": { "f:whenDeleted": {} } };
    const managedFields = manager ? [{ manager, operation: "Apply", fieldsV1: { "f:spec": field } }] : [];
    const spec = {
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" as const, whenScaled: "Retain" as const },
    };
    const facts = lookedAt(setOf({ ...held, managedFields }, spec), claims(owner));
    expect(story(bequeath.decide(facts, noon, {}))).toEqual(expected);
  });

  test("is looked at again soon, and after ten minutes on its turn only", () => {
    expect(turned([toSet])).toMatchObject([{ step: { details: { left: 1 } }, next: noon + 5_000 }]);
    expect(turned([toSet], dueAt(noon + 1_000))).toMatchObject([{ next: noon + 1_000 }]);
    expect(turned([toSet], dueAt(noon - 1_000))).toMatchObject([{ next: noon + 5_000 }]);
    expect(turned([toSet], noted("keeping", noon - 599_000))).toMatchObject([{ next: noon + 5_000 }]);
    expect(turned([toSet], noted("keeping", noon - 600_000))[0]).not.toHaveProperty("next");
  });

  test("is let go with the label of its due time", () => {
    const labels = { "holdfast.dev/waiting": "true", app: "web" };
    const set = setOf({ policy: "Retain", ...held, labels, annotations: noted("keeping") });
    const [decision] = bequeath.decide(lookedAt(set, []), noon, {});
    const text = JSON.stringify(decision?.do === "write" && decision.writes);
    for (const path of ["annotations/holdfast.dev~1pvc-retention.bequeath", "labels/holdfast.dev~1waiting"])
      expect(text).toContain(`{"op":"remove","path":"/metadata/${path}"}`);
  });

  test("forgets that its claims were to be kept when they are to go again", () => {
    const set = setOf({ policy: both, ...held, annotations: noted("keeping") });
    expect(bequeath.decide(lookedAt(set, []), noon, {})).toMatchObject([{ do: "leave" }]);
  });

  test("loses our finalizer and no other", () => {
    const [decision] = bequeath.decide(lookedAt(setOf({ policy: "Retain", ...held }), []), noon, {});
    expect(decision?.do === "write" && decision.writes).toMatchObject([
      {
        patch: [
          { op: "test", path: "/metadata/uid" },
          { op: "test", path: "/metadata/resourceVersion" },
          { op: "test", path: "/metadata/finalizers/1", value: retentionFinalizer },
          { op: "remove", path: "/metadata/finalizers/1" },
        ],
      },
    ]);
  });
});

test("a set being deleted that has no policy any more is its owner's, with what the field deletes by somebody else's value", () => {
  const field = { "f:persistentVolumeClaimRetentionPolicy": { "f:whenDeleted": {} } };
  const theirs = [{ manager: "helm", operation: "Update", fieldsV1: { "f:spec": field } }];
  const fate = (whenDeleted: "Delete" | "Retain", managedFields: object[] = theirs) => {
    const deleting = { deletionTimestamp, finalizers: [retentionFinalizer], managedFields };
    const spec = { persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled: "Retain" as const } };
    const claims = [{ claim: claimOf(0, { ownerReferences: [inTreeSet] }) }];
    return story(bequeath.decide({ ...lookedAt(setOf(deleting, spec), claims), evidence: "cascade" }, noon, {}));
  };
  expect(fate("Delete")).toEqual(["set goes"]);
  expect(fate("Delete", [])).toEqual(["claim is released", "set waits: keeping"]);
  expect(fate("Retain")).toEqual(["claim is released", "set waits: keeping"]);
});

test("a set being deleted that our finalizer does not hold is none of our business", () => {
  expect(
    bequeath.decide(lookedAt(setOf({ policy: both, deletionTimestamp, finalizers: ["a.example/x"] }), []), noon, {}),
  ).toEqual([]);
});

describe("a set is being deleted and its claims are to go with it", () => {
  const waits = [`set waits: ${cascading}`];
  const refers = ["claim refers to the set", ...waits];
  test.each<[string, Case, string[]]>([
    ["that is written down first", {}, waits],
    ["then the claim refers to the set", { recorded: noon }, refers],
    ["then it goes", { recorded: noon, owners: [toSet] }, ["set goes"]],
    ["the reference of Kubernetes' own controller is as good", { owners: [inTreeSet] }, ["set goes"]],
    [
      "a foreground deletion is as good a proof",
      { recorded: noon, evidence: "none", finalizers: ["foregroundDeletion"] },
      refers,
    ],
    ["what was written down is as good a proof", { recorded: noon, evidence: "none" }, refers],
    ["a reference without the flag is mended", { recorded: noon, owners: [{ ...toSet, controller: false }] }, refers],
    ["a claim that goes with its pod is left to it", { owners: [toPod], pod: true }, ["set goes"]],
    ["a claim that is going is left to it", { claim: { deletionTimestamp } }, ["set goes"]],
    ["a claim of another controller is left to it", { owners: [custom] }, ["set goes"]],
    ["a claim of an earlier set is left to it", { owners: [{ ...toSet, uid: "u0" }] }, ["set goes"]],
    ["another owner does not keep ours away", { recorded: noon, owners: [{ ...custom, controller: false }] }, refers],
    ["a contested claim is left alone", { rival: "shop-web" }, ["set goes"]],
    [
      "a contested claim that refers to the set is released",
      { recorded: noon, rival: "shop-web", owners: [inTreeSet] },
      ["claim is released", ...waits],
    ],
    ["a claim that somebody saved stays", { claim: markOf("saved", "scaled-down") }, ["set goes"]],
    ["a claim that was promised a time keeps it", { recorded: noon, claim: markOf("marked", "scaled-down") }, waits],
    ["and lets the set go when it is marked on its behalf", { claim: markOf("marked", "set-deleted") }, ["set goes"]],
    [
      "a claim that somebody saved is released",
      { recorded: noon, claim: markOf("saved", "scaled-down"), owners: [toSet] },
      ["claim is released", ...waits],
    ],
  ])("%s", (_, facts, expected) => {
    expect(story(decide(facts))).toEqual(expected);
  });
});

test("what is written down changes with each step, because only a change of the set wakes the rule for the next", () => {
  const left = (facts: Case) =>
    decide(facts).flatMap((decision) => (decision.do === "wait" ? [decision.step?.details] : []));
  expect(left({})).toEqual([{ left: 1 }]);
  expect(left({ recorded: noon })).toEqual([{ left: 0 }]);
});

describe("a set is being deleted and its claims are kept", () => {
  const released = ["claim is released", "set waits: keeping"];
  test.each<[string, Case, string[]]>([
    ["--cascade=orphan", { finalizers: ["orphan"], owners: [inTreeSet] }, released],
    ["--cascade=orphan, our reference", { finalizers: ["orphan"], owners: [toSet] }, released],
    ["--cascade=orphan, and nothing refers to the set", { finalizers: ["orphan"] }, ["set goes"]],
    ["--cascade=orphan, seen late", { evidence: "orphaned", owners: [toSet] }, released],
    [
      "--cascade=orphan, asked for when all was written down",
      { recorded: noon, finalizers: ["orphan"], owners: [toSet] },
      released,
    ],
    [
      "--cascade=orphan, asked for then and seen late",
      { recorded: noon, evidence: "orphaned", owners: [toSet] },
      released,
    ],
    [
      "--cascade=orphan, then --cascade=foreground",
      { evidence: "orphaned", finalizers: ["foregroundDeletion"], owners: [toSet] },
      released,
    ],
    ["nothing shows how it was asked for", { evidence: "none", owners: [toSet] }, released],
    ["Retain", { policy: "Retain", owners: [toSet] }, released],
    ["Retain, set when all was written down", { policy: "Retain", recorded: noon, owners: [toSet] }, released],
    ["a policy that nobody knows", { policy: "delete", owners: [toSet] }, released],
    ["DeleteOnScaledownOnly", { policy: scaled, owners: [inTreeSet] }, released],
    [
      "DeleteOnScaledownOnly, a condemned claim goes with its pod",
      { policy: scaled, owners: [toPod], pod: true },
      ["set goes"],
    ],
    ["Retain, a condemned claim stays", { policy: "Retain", owners: [toPod], pod: true }, released],
    [
      "--cascade=orphan, a condemned claim stays",
      { finalizers: ["orphan"], evidence: "orphaned", owners: [toPod], pod: true },
      released,
    ],
    [
      "a stale reference beside the set's goes, too",
      {
        policy: "Retain",
        owners: [
          { ...toPod, uid: "p9" },
          { ...toSet, controller: false },
        ],
      },
      released,
    ],
    [
      "what is stale alone is the garbage collector's",
      { policy: "Retain", owners: [{ ...toSet, uid: "u0" }] },
      ["set goes"],
    ],
    ["contested claims are released as well", { policy: "Retain", rival: "shop-web", owners: [toSet] }, released],
    [
      "claims that are going are beyond help",
      { policy: "Retain", owners: [toSet], claim: { deletionTimestamp } },
      ["set goes"],
    ],
    [
      "a mark that was made for this is taken away",
      { finalizers: ["orphan"], claim: markOf("marked", "set-deleted") },
      ["mark is taken away", "set waits: keeping"],
    ],
    [
      "so is one that was just made",
      { finalizers: ["orphan"], claim: markOf("marked", "set-deleting") },
      ["mark is taken away", "set waits: keeping"],
    ],
    [
      "the mark of a scale-down is grace's",
      { finalizers: ["orphan"], claim: markOf("marked", "scaled-down") },
      ["set goes"],
    ],
    [
      "the mark of an earlier set is grace's",
      { finalizers: ["orphan"], claim: markOf("marked", "set-deleted", "u0") },
      ["set goes"],
    ],
  ])("%s", (_, facts, expected) => {
    expect(story(decide(facts))).toEqual(expected);
  });

  test("with what is stale beside a reference of this set, both go in one patch", () => {
    const owners = [{ ...toPod, uid: "p9" }, { ...toSet, controller: false }, custom];
    const [released] = decide({ policy: "Retain", owners });
    const [write] = released?.do === "write" ? released.writes : [];
    const text = JSON.stringify(write);
    expect(text.match(/"op":"remove","path":"\/metadata\/ownerReferences\/[0-9]"/g)).toHaveLength(2);
    expect(text).not.toContain("ownerReferences/2");
  });

  test("is told; with a Warning where the policy says otherwise and nothing could be proven", () => {
    expect(decide({ finalizers: ["orphan"] })).toMatchObject([{ notice: { type: "Normal", reason: "ClaimsKept" } }]);
    expect(decide({ evidence: "none" })).toMatchObject([{ notice: { type: "Warning", reason: "ClaimsKept" } }]);
  });
});

describe("a set is being deleted and its claims go a while later", () => {
  const delay = "24h";
  const waits = [`set waits: ${cascading}`];
  test.each<[string, Case, string[]]>([
    ["it waits for the marks", { delay }, waits],
    ["a mark that was not looked at again is none", { delay, claim: markOf("marked", "set-deleting") }, waits],
    ["nor is one of a scale-down", { delay, claim: markOf("marked", "scaled-down") }, waits],
    ["nor is one of an earlier set", { delay, claim: markOf("marked", "set-deleted", "u0") }, waits],
    ["then it goes", { delay, claim: markOf("marked", "set-deleted") }, ["set goes"]],
    [
      "it does not wait for a claim that somebody saved",
      { delay, claim: markOf("saved", "scaled-down") },
      ["set goes"],
    ],
    ["nor for one that is going", { delay, claim: { deletionTimestamp } }, ["set goes"]],
    ["nor for one that somebody else owns", { delay, owners: [{ ...custom, controller: false }] }, ["set goes"]],
    [
      "a claim that refers to the set would go at once",
      { delay, owners: [inTreeSet] },
      ["claim is released", ...waits],
    ],
    ["so would one that refers to its pod", { delay, owners: [toPod], pod: true }, ["claim is released", ...waits]],
    ["--cascade=orphan holds all the same", { delay, finalizers: ["orphan"] }, ["set goes"]],
  ])("%s", (_, facts, expected) => {
    expect(story(decide(facts))).toEqual(expected);
  });

  test("after a minute it asks whether grace is there", () => {
    expect(decide({ delay, recorded: noon }, noon + 59_000)[0]).not.toHaveProperty("notice");
    expect(decide({ delay, recorded: noon }, noon + 60_000)[0]).toMatchObject({
      notice: { reason: "ClaimsNotMarked" },
    });
  });
});

describe("subjects", () => {
  const hint = (
    object: KubernetesObject | undefined,
    kind = object?.kind ?? "StatefulSet",
    change: Hint["change"] = "update",
  ): Hint => ({
    id: "e",
    change,
    apiVersion: "v1",
    kind,
    namespace: "shop",
    name: object?.metadata.name ?? "x",
    object,
  });
  const held = { finalizers: [retentionFinalizer] };
  const kept = {
    [progressKey(deletingRule)]: nextProgress(setOf(), deletingRule, { name: "keeping" }, "So.", noon) ?? "",
  };
  test.each<[string, Hint, [string, string] | undefined]>([
    ["a set with a policy", hint(setOf({ policy: both })), ["StatefulSet", "web"]],
    ["a set with our finalizer alone", hint(setOf({ finalizers: [retentionFinalizer] })), ["StatefulSet", "web"]],
    [
      "one that is known to be held for its claims",
      hint(notedOn(setOf({ ...held, policy: both }), { policy: both })),
      undefined,
    ],
    [
      "one that is known to keep them, and is not held",
      hint(notedOn(setOf({ policy: "Retain" }), { policy: "Retain" })),
      undefined,
    ],
    ["one that is yet to be held", hint(notedOn(setOf({ policy: both }), { policy: both })), ["StatefulSet", "web"]],
    [
      "one that is yet to be let go",
      hint(notedOn(setOf({ ...held, policy: "Retain" }), { policy: "Retain" })),
      ["StatefulSet", "web"],
    ],
    [
      "one that was to be let go",
      hint(notedOn(setOf({ ...held, policy: both, annotations: kept }), { policy: both })),
      ["StatefulSet", "web"],
    ],
    [
      "one that is being deleted",
      hint(notedOn(setOf({ ...held, policy: both, deletionTimestamp }), { policy: both })),
      ["StatefulSet", "web"],
    ],
    [
      "one of which not even the spec is known",
      hint({ ...notedOn(setOf({ ...held, policy: both }), { policy: both }), spec: undefined }),
      ["StatefulSet", "web"],
    ],
    ["a set without traces", hint(setOf()), undefined],
    ["a set that is gone", hint(setOf({ policy: both }), "StatefulSet", "delete"), undefined],
    ["a set of which only the name is known", hint(undefined), ["StatefulSet", "x"]],
    [
      "a claim that was marked because its set goes",
      hint(claimOf(0, markOf("marked", "set-deleted"))),
      ["StatefulSet", "web"],
    ],
    ["a claim that was marked at a scale-down", hint(claimOf(0, markOf("marked", "scaled-down"))), undefined],
    ["any other claim", hint(claimOf(0)), undefined],
    [
      "a claim of which only the name is known",
      hint(undefined, "PersistentVolumeClaim"),
      ["PersistentVolumeClaim", "x"],
    ],
  ])("%s", (_, hint, expected) => {
    const named = bequeath.subjects(hint, {}).map(({ kind, name }) => [kind.kind, name]);
    expect(named).toEqual(expected ? [expected] : []);
  });
});

describe("whatever the facts", () => {
  const owner = fc.constantFrom(
    toSet,
    inTreeSet,
    toPod,
    custom,
    { ...toSet, uid: "u0" },
    { ...custom, controller: false },
  );
  const cases = fc.record(
    {
      policy: fc.constantFrom(both, scaled, deleted, "Retain", "nonsense"),
      delay: fc.constantFrom("24h", "0s", "soon"),
      evidence: fc.constantFrom<Evidence>("cascade", "orphaned", "none"),
      finalizers: fc.subarray(["orphan", "foregroundDeletion", "a.example/x"]),
      recorded: fc.constant(noon),
      owners: fc.uniqueArray(owner, { maxLength: 3 }),
      claim: fc.constantFrom({}, markOf("marked", "set-deleted"), markOf("saved", "scaled-down"), {
        deletionTimestamp,
      }),
      pod: fc.boolean(),
      rival: fc.constant("shop-web"),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Case>;

  const keeps = ({ policy = both, delay, finalizers = [], evidence }: Case) =>
    ![both, deleted].includes(policy) || delay === "soon" || finalizers.includes("orphan") || evidence === "orphaned";

  test("a set whose claims are kept goes only when nothing ties a claim to it, and no claim is ever tied to it", () => {
    fc.assert(
      fc.property(cases, (facts) => {
        const told = story(decide(facts));
        if (!keeps(facts)) return;
        expect(told).not.toContain("claim refers to the set");
        const isTied = (facts.owners ?? []).some(({ uid }) => uid === uidOfSet);
        const isGoing = facts.claim !== undefined && "deletionTimestamp" in facts.claim;
        if (isTied && !isGoing) expect(told).not.toContain("set goes");
      }),
      { numRuns: 500 },
    );
  });

  test("a set goes alone: never in the run that writes onto a claim", () => {
    fc.assert(
      fc.property(cases, (facts) => {
        const told = story(decide(facts));
        if (told.includes("set goes")) expect(told).toEqual(["set goes"]);
        expect(decide(facts)).toEqual(decide(facts));
      }),
    );
  });

  test("proof that is lost never has a claim go that stayed", () => {
    fc.assert(
      fc.property(cases, (facts) => {
        if (story(decide(facts)).includes("claim refers to the set")) return;
        expect(story(decide({ ...facts, evidence: "orphaned" }))).not.toContain("claim refers to the set");
      }),
    );
  });
});
