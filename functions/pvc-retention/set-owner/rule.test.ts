import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Decision } from "../../../shared/decision.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import type { KubernetesObject, OwnerReference } from "../../../shared/kubernetes/object.ts";
import { progressKey, readProgress } from "../../../shared/progress.ts";
import { checkLabel } from "../lib/check-label.ts";
import { policyKey } from "../lib/policy.ts";
import type { StatefulSet } from "../lib/stateful-set.ts";
import { claimOf, followed, noon, noted, podOf, reference, setOf, uidOfSet } from "../lib/testing/objects.ts";
import { setOwner } from "./rule.ts";

const name = setOwner.name;
const withSet = "Delete/Retain";
const onDeletion = "DeleteOnStatefulSetDeletionOnly";
const toSet = reference("StatefulSet", "web", uidOfSet);
const inTreeSet = reference("StatefulSet", "web", uidOfSet, { blockOwnerDeletion: true });
const earlier = reference("StatefulSet", "web", "u0", { controller: false });
const toPod = reference("Pod", "web-5", "p5");
const custom = reference("Custom", "db", "x");
const plain = reference("ConfigMap", "anchor", "y", { controller: false });
const ended = {
  ...podOf(5),
  metadata: { ...podOf(5).metadata, name: "backup", ownerReferences: [] },
  status: { phase: "Succeeded" },
};
const rescue = { ...podOf(5), metadata: { ...podOf(5).metadata, name: "rescue", ownerReferences: [] } };

interface Case {
  field?: string;
  /** What the annotation of the set itself says now. */
  asked?: string;
  /** The policy that `sync-policy` has noted; `false`: it has noted none. */
  policy?: string | false;
  owners?: OwnerReference[];
  pods?: KubernetesObject[];
  labels?: Record<string, string> | undefined;
  /** The uid of the set that the note on the claim names, and what it says of its labels. */
  used?: string | undefined;
  usedLabels?: string;
  metadata?: object;
  /** What the annotation of the namespace says now. */
  home?: string;
}

const homeOf = (policy: string | undefined): KubernetesObject | undefined =>
  policy === undefined
    ? undefined
    : {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: "shop", uid: "n1", resourceVersion: "1", annotations: { [policyKey]: policy } },
      };

function claimIn({ owners, labels = { app: "web" }, metadata = {}, ...more }: Case): KubernetesObject {
  const claim = claimOf(5, { labels, ...(owners ? { ownerReferences: owners } : {}), ...metadata });
  const used = "used" in more ? more.used : uidOfSet;
  return used === undefined ? claim : noted(claim, name, "used", { set: used, labels: more.usedLabels ?? "match" });
}

const decideOn = (set: StatefulSet, claim: KubernetesObject, pods: KubernetesObject[] = [], home?: string) =>
  setOwner.decide({ set, home: homeOf(home), claims: [{ claim, pods }] }, noon, {});

/** What is decided about the claim, which is scaled away, and what about the set. */
function decide(one: Case): { claim: Decision | undefined; set: Decision | undefined } {
  const { policy, field = withSet, asked } = one;
  const shape = { field, ...(asked === undefined ? {} : { policy: asked }) };
  const set = policy === false ? setOf(shape) : followed(shape, policy);
  const decisions = decideOn(set, claimIn(one), one.pods, one.home);
  const of = (kind: string) => decisions.find(({ about }) => about.kind === kind);
  return { claim: of("PersistentVolumeClaim"), set: of("StatefulSet") };
}

const kindOf = (decision: Decision | undefined) =>
  decision?.do === "write"
    ? decision.preconditions
      ? "tie"
      : "untie"
    : decision?.do === "wait"
      ? "note"
      : decision?.do;

describe("a claim of the set's names", () => {
  const decides = (one: Case, expected: string | undefined) => expect(kindOf(decide(one).claim)).toBe(expected);
  test("that it has used, without a pod: tied", () => decides({}, "tie"));
  test("with another owner that is no controller: tied", () => decides({ owners: [plain] }, "tie"));
  test("tied already", () => decides({ owners: [toSet] }, undefined));
  test("tied by Kubernetes' own controller", () => decides({ owners: [inTreeSet] }, undefined));
  test("that nothing shows it has used: left out", () => decides({ used: undefined }, "record"));
  test("that an earlier set of the name has used: left out", () => decides({ used: "u0" }, "record"));
  test("that another owner's pod uses: left out", () => decides({ pods: [rescue] }, "record"));
  test("that another owner's pod names that has ended: left out", () => decides({ pods: [ended] }, "record"));
  test("that another owner's pod uses, and the set never has: left alone", () =>
    decides({ pods: [rescue], used: undefined }, undefined));
  test("that the set's own pod uses: left to Kubernetes' own controller", () =>
    decides({ pods: [podOf(5)] }, undefined));
  test("tied already, that another owner's pod uses now: untied", () =>
    decides({ owners: [toSet], pods: [rescue] }, "untie"));
  test("tied already, that another owner's pod has used to its end", () =>
    decides({ owners: [toSet], pods: [ended] }, undefined));
  test("that the set's pod uses beside another's: untied", () =>
    decides({ owners: [toSet], pods: [podOf(5), rescue] }, "untie"));
  test("tied already, that the set's own pod uses again", () =>
    decides({ owners: [toSet], pods: [podOf(5)] }, undefined));
  test("tied by Kubernetes' own controller, that another owner's pod uses: left alone", () =>
    decides({ owners: [inTreeSet], pods: [rescue] }, undefined));
  test("that another owner controls: left out", () => decides({ owners: [custom] }, "record"));
  test("that is to be deleted with its pod: left out", () => decides({ owners: [toPod] }, "record"));
  test("that names an earlier set of the name: left out", () => decides({ owners: [earlier] }, "record"));
  test("with another's labels: left out", () => decides({ labels: { app: "reports" } }, "record"));
  test("whose labels were removed since: left out", () => decides({ labels: {} }, "record"));
  test("that never had labels: tied", () => decides({ labels: {}, usedLabels: "lack" }, "tie"));
  test("whose labels were removed after Holdfast tied it: untied", () =>
    decides({ labels: {}, owners: [toSet] }, "untie"));
  test("whose labels were removed after Kubernetes tied it: left alone", () =>
    decides({ labels: {}, owners: [inTreeSet] }, undefined));
  test("that is being deleted", () => decides({ metadata: { deletionTimestamp: "2026-03-01T11:00:00Z" } }, undefined));
  test("that is to stay: untied", () => decides({ field: "Retain/Delete", owners: [toSet] }, "untie"));
  test("that is to stay, tied by Kubernetes' own controller: untied", () =>
    decides({ field: "Retain/Retain", owners: [inTreeSet] }, "untie"));
  test("that is to stay, and has other owners", () =>
    decides({ field: "Retain/Retain", owners: [custom, plain] }, undefined));
  test("that is to stay, with a reference to the set that is no controller", () =>
    decides({ field: "Retain/Retain", owners: [{ ...toSet, controller: false }] }, undefined));
  test("that the noted policy keeps, although the field deletes: left alone", () =>
    decides({ policy: "Retain" }, undefined));
  test("that the noted policy keeps, tied by Kubernetes' own controller: left alone while the field deletes", () =>
    decides({ policy: "DeleteOnScaledownOnly", owners: [inTreeSet] }, undefined));
  test("that a policy keeps that cannot be read, tied by Holdfast: untied", () =>
    decides({ policy: "Gone", owners: [toSet] }, "untie"));
  test("that the annotation deletes, as noted: tied", () => decides({ asked: onDeletion }, "tie"));
  test("that the annotation keeps before this is noted: left alone", () => decides({ asked: "Retain" }, undefined));
  test("that an annotation keeps that cannot be read: left alone", () => decides({ asked: "delete" }, undefined));
  test("that the annotation keeps before this is noted: untied", () =>
    decides({ asked: "Retain", owners: [toSet] }, "untie"));
  test("that the annotation keeps before this is noted, tied by Kubernetes' own controller: left alone", () =>
    decides({ asked: "Retain", owners: [inTreeSet] }, undefined));
  test("that the namespace keeps before this is noted: left alone", () => decides({ home: "Retain" }, undefined));
  test("that the namespace keeps before this is noted: untied", () =>
    decides({ home: "Retain", owners: [toSet] }, "untie"));
  test("that an annotation of the namespace keeps that cannot be read: untied", () =>
    decides({ home: "x", owners: [toSet] }, "untie"));
  test("that the namespace keeps, and the annotation of the set deletes: tied", () =>
    decides({ home: "Retain", asked: onDeletion }, "tie"));
  test("that the namespace keeps before this is noted, tied by Kubernetes' own controller: left alone", () =>
    decides({ home: "Retain", owners: [inTreeSet] }, undefined));
  test("without a policy any more: untied and forgotten", () => decides({ policy: false, owners: [toSet] }, "untie"));
  test("without a policy any more: forgotten", () => decides({ policy: false }, "untie"));
  test("without a policy any more, tied by Kubernetes' own controller, which the field asks for: left alone", () =>
    decides({ policy: false, owners: [inTreeSet], used: undefined }, undefined));
  test("without a policy any more, tied by Kubernetes' own controller, and to stay: untied", () =>
    decides({ policy: false, field: "Retain/Retain", owners: [inTreeSet], used: undefined }, "untie"));
  test("without a policy any more, and nothing of ours", () => decides({ policy: false, used: undefined }, undefined));
});

describe("use is noted", () => {
  test.each<[string, Case, boolean]>([
    ["with a pod of this set", { used: undefined, pods: [podOf(5)] }, true],
    ["again if the note names another set", { used: "u0", pods: [podOf(5)] }, true],
    ["under a policy that keeps, too", { used: undefined, pods: [podOf(5)], field: "Retain/Retain" }, true],
    ["once", { pods: [podOf(5)] }, false],
    ["not with another's pod", { used: undefined, pods: [rescue] }, false],
    ["not with a pod of another number", { used: undefined, pods: [podOf(4)] }, false],
    [
      "not with a pod of an earlier set",
      { used: undefined, pods: [podOf(5, { ownerReferences: [{ ...inTreeSet, uid: "u0" }] })] },
      false,
    ],
    ["not on a claim with another's labels", { used: undefined, pods: [podOf(5)], labels: { app: "reports" } }, false],
    ["not without a policy", { used: undefined, pods: [podOf(5)], policy: false }, false],
  ])("%s", (_, one, isNoted) => {
    const { claim } = decide(one);
    expect(kindOf(claim) === "note").toBe(isNoted);
    if (isNoted) expect(claim).toMatchObject({ step: { details: { set: uidOfSet } } });
  });
});

describe("what is noted on the set", () => {
  const set = followed({ field: withSet, replicas: 3 });

  test("is `changing` while its claims are written, which causes another look, and then what its claims follow", () => {
    expect(decide({}).set).toMatchObject({ step: { name: "changing" } });
    expect(decide({ owners: [toSet] }).set).toMatchObject({
      step: { name: "followed", details: { whenDeleted: "Delete", replicas: 1 } },
    });
    expect(decide({ used: undefined, pods: [podOf(5)] }).set).toMatchObject({ step: { name: "followed" } });
  });

  test("is removed when nothing of Holdfast is left on its claims", () => {
    expect(decide({ policy: false, owners: [toSet] }).set).toMatchObject({ step: { name: "changing" } });
    expect(decide({ policy: false, used: undefined }).set).toMatchObject({ do: "leave" });
  });

  describe("decides whether an event causes a look:", () => {
    const following = (details: object, one = set) => noted(one, name, "followed", details);
    const causesLook = (object: StatefulSet | undefined, isTriggered: boolean, change: Hint["change"] = "update") => {
      const of = { apiVersion: "apps/v1", kind: "StatefulSet", namespace: "shop", name: "web" };
      expect(setOwner.subjects({ id: "e", change, ...of, object }, {}).length).toBe(isTriggered ? 1 : 0);
    };
    test("a set that is as it was", () => causesLook(following({ whenDeleted: "Delete", replicas: 3 }), false));
    test("another number of pods", () => causesLook(following({ whenDeleted: "Delete", replicas: 2 }), true));
    test("another field", () => causesLook(following({ whenDeleted: "Retain", replicas: 3 }), true));
    test("claims that are being written", () =>
      causesLook(noted(set, name, "changing", { whenDeleted: "Delete", replicas: 3 }), true));
    test("a policy that deletes as the field already did", () =>
      causesLook(following({ whenDeleted: "Delete", replicas: 3, policy: "keeps" }), true));
    test("an annotation that keeps what the field still deletes", () =>
      causesLook(
        following({ whenDeleted: "Delete", replicas: 1 }, followed({ field: withSet, policy: "Retain" })),
        true,
      ));
    test("the label of what each sweep checks, removed by a tool", () =>
      causesLook(following({ whenDeleted: "Delete", replicas: 3, checked: true }), true));
    test("what each sweep checks, with its label", () => {
      const labelled = followed({ field: withSet, metadata: { labels: { [checkLabel]: "true" } } });
      causesLook(following({ whenDeleted: "Delete", replicas: 1, checked: true }, labelled), false);
    });
    test("a policy that is new", () => causesLook(set, true));
    test("a policy that is gone", () => causesLook(following({ whenDeleted: "Retain", replicas: 1 }, setOf()), true));
    test("a set that never had one", () => causesLook(setOf({ field: withSet }), false));
    test("a set whose spec has changed, and from which a tool may have dropped policy and notes", () => {
      const replaced = (observedGeneration: number) => ({
        ...setOf({ metadata: { generation: 2 } }),
        status: { observedGeneration },
      });
      causesLook(replaced(1), true);
      causesLook(replaced(2), false);
      causesLook(replaced(0), false, "add");
      causesLook({ ...replaced(1), spec: {} }, false);
    });
    test("a set that is being deleted", () => causesLook(followed({ metadata: { deletionTimestamp: "x" } }), false));
    test("a set that is gone", () => causesLook(set, false, "delete"));
    test("a set of which only the name is known", () => causesLook(undefined, true, "sweep"));
  });
});

describe("each sweep has the claims of a set looked at", () => {
  const has = { labels: { [checkLabel]: "true" } };
  test.each<[string, Case, object, string | null | undefined]>([
    ["while it owns a claim without a pod", { owners: [toSet] }, {}, "true"],
    ["and that is written once", { owners: [toSet] }, has, undefined],
    ["as soon as it is to own one", {}, {}, "true"],
    ["while another's pod uses the claim, until that is untied", { owners: [toSet], pods: [rescue] }, has, undefined],
    ["while its namespace overrules what is noted", { home: "Retain" }, {}, "true"],
    ["not for a claim that Kubernetes tied", { owners: [inTreeSet] }, {}, undefined],
    ["not for a claim that has a pod again", { owners: [toSet], pods: [podOf(5)] }, has, null],
    ["no more once no claim is tied", { owners: [plain], used: undefined }, has, null],
    ["no more without a policy", { policy: false, used: undefined }, has, null],
  ])("%s", (_, one, metadata, expected) => {
    const { policy, field = withSet } = one;
    const shape = { field, metadata };
    const set = policy === false ? setOf(shape) : followed(shape, policy);
    const decision = decideOn(set, claimIn(one), one.pods, one.home).find(({ kind }) => kind.kind === "StatefulSet");
    const [write] = decision?.do === "write" ? decision.writes : [];
    const patch = write?.verb === "patch" ? (write.patch as { metadata: { labels: object } }) : undefined;
    expect(patch?.metadata.labels).toEqual(expected === undefined ? undefined : { [checkLabel]: expected });
    // A tool that removes the label later is noticed by what is noted here.
    const details = decision && "step" in decision ? decision.step?.details : undefined;
    const isChecked = expected === "true" || (expected === undefined && set.metadata.labels !== undefined);
    expect(details?.checked).toBe(isChecked || undefined);
  });
});

describe("a tie that the API server may carry out late", () => {
  const tiedAt = (time: number) => ({ checked: true, tied: new Date(time).toISOString() });
  const onSet = (set: StatefulSet) =>
    decideOn(set, claimIn({ owners: [plain], used: undefined })).find(({ kind }) => kind.kind === "StatefulSet");
  const kept = { metadata: { labels: { [checkLabel]: "true" } } };
  const [recent, old] = [tiedAt(noon - 540_000), tiedAt(noon - 600_000)];

  test("is noted on the set before it is sent", () => {
    const decisions = decideOn(followed({ field: withSet }), claimIn({}));
    const [tie, note] = ["PersistentVolumeClaim", "StatefulSet"].map((one) =>
      decisions.find(({ kind }) => kind.kind === one),
    );
    expect(tie).toMatchObject({ do: "write", order: 1 });
    expect(note).toMatchObject({ step: { details: tiedAt(noon) } });
    expect(note).not.toHaveProperty("order");
  });

  test.each([
    ["the same time for five minutes: a note of each refused try would cause the next one", 299_000, 299_000],
    ["another time after that", 300_000, 0],
  ])("is noted with %s", (_, ago, then) => {
    const set = noted(followed({ field: withSet }), name, "changing", tiedAt(noon - ago));
    const note = decideOn(set, claimIn({})).find(({ kind }) => kind.kind === "StatefulSet");
    expect(note).toMatchObject({ step: { details: tiedAt(noon - then) } });
  });

  test.each([
    ["the set keeps its claims", followed(kept, "Retain")],
    ["the set has no policy any more", setOf(kept)],
  ])("has each sweep look at the claims for ten minutes after %s", (_, set) => {
    expect(onSet(noted(set, name, "followed", recent))).toMatchObject({ do: "wait", step: { details: recent } });
    const over = onSet(noted(set, name, "followed", old));
    expect(over).toMatchObject({ writes: [{ patch: { metadata: { labels: { [checkLabel]: null } } } }] });
    expect(over).not.toHaveProperty("step.details.tied", old.tied);
  });

  test("is not waited for while the set takes claims along and none is left to be tied", () =>
    expect(onSet(noted(followed({ field: withSet }), name, "changing", recent))).not.toHaveProperty(
      "step.details.tied",
      recent.tied,
    ));
});

describe("a tool that sets the label each time is not fought", () => {
  const has = { labels: { [checkLabel]: "true" } };
  const onSet = (set: StatefulSet) =>
    decideOn(set, claimIn({ owners: [plain], used: undefined })).find(({ kind }) => kind.kind === "StatefulSet");
  const writesOf = (decision: Decision | undefined) => (decision?.do === "write" ? decision.writes : []);

  test("where nothing is to be checked it is removed once, and then left", () => {
    const first = onSet(followed({ metadata: has }));
    expect(writesOf(first)).toHaveLength(1);
    const details = first && "step" in first ? first.step?.details : undefined;
    const removed = noted(followed({ metadata: has }), name, "followed", { ...details });
    expect(writesOf(onSet(removed))).toEqual([]);
    // Without the label that stays so, and the note is not rewritten.
    const without = onSet(noted(followed({}), name, "followed", { ...details }));
    expect(without).toMatchObject({ do: "wait", step: { details } });
    // What is to be checked later has the label again.
    const set = noted(followed({}), name, "followed", { ...details });
    const later = decideOn(set, claimIn({ owners: [toSet] })).find(({ kind }) => kind.kind === "StatefulSet");
    expect(writesOf(later)).toHaveLength(1);
    expect(later && "step" in later && later.step?.details).not.toHaveProperty("label", "removed");
  });

  test.each([
    ["nothing of ours is on its claims", {}, false],
    ["another tool's reference is on a claim", { owners: [toSet], used: undefined }, false],
    ["Kubernetes' reference is on a claim", { owners: [inTreeSet] }, false],
    ["a claim is tied to it, because a tool has replaced the set", { owners: [toSet] }, true],
  ])("where the set has no policy and no note, and %s", async (_, one: Case, isLookedAt) => {
    const asked: string[] = [];
    const get = async () => setOf({ metadata: has });
    async function* list({ kind }: { kind: string }) {
      asked.push(kind);
      yield claimIn(one);
    }
    const subject = { kind: { kind: "StatefulSet" }, namespace: "shop", name: "web" };
    const facts = await setOwner.look(subject as never, { client: { get, list } as never, settings: {} } as never);
    expect([facts !== undefined, asked]).toEqual([isLookedAt, ["PersistentVolumeClaim"]]);
    if (facts)
      expect(setOwner.decide(facts, noon, {})).toMatchObject([
        { message: expect.stringContaining("it has no owner now") },
        { step: { name: "changing" } },
      ]);
  });
});

test("who asks about a claim is answered by the look at its set", () => {
  const claims = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: "shop" };
  const hint = { id: "e", change: "sweep", ...claims } as const;
  const named = (name: string) => setOwner.subjects({ ...hint, name, object: undefined }, {});
  expect(named("data-web-5")).toMatchObject([{ kind: { kind: "StatefulSet" }, namespace: "shop", name: "web" }]);
  expect(named("data-my-app-5").map((subject) => "name" in subject && subject.name)).toEqual(["my-app", "app"]);
  expect(named("a-".repeat(100)).length).toBeLessThan(10);
  expect(named("data")).toEqual([]);
});

test("without a policy, a field of another manager that deletes keeps the reference of Kubernetes, and no note", () => {
  const { claim } = decide({ policy: false, owners: [inTreeSet] });
  expect(claim).toMatchObject({ do: "write", writes: [] });
  expect(claim).not.toHaveProperty("progress");
  expect(claim?.message).not.toContain("no owner");
});

test("a claim that is left out gets an Event with the command that includes it", () => {
  const one: Case = { used: undefined };
  const { claim } = decide(one);
  expect(claim).toMatchObject({ do: "record", event: { type: "Normal", reason: "ClaimNotIncluded" } });
  const [, key = "", value = ""] = /'([^=]+)=(.*)'`$/.exec(claim?.message ?? "") ?? [];
  expect(key).toBe(progressKey(name));
  const included = claimOf(5, { annotations: { [key]: value } });
  expect(kindOf(decideOn(followed({ field: withSet }), included)[0])).toBe("tie");
  expect(claim?.message.length).toBeLessThan(1000);
});

describe("a claim is tied", () => {
  const set = followed({ field: withSet });
  const tied = (claim = claimIn({})) => {
    const decision = decideOn(set, claim).find(({ about }) => about.kind === "PersistentVolumeClaim");
    return decision?.do === "write" ? decision : undefined;
  };

  test("by a guarded patch that removes nothing, and the note stays", () => {
    const decision = tied(claimIn({ owners: [plain] }));
    expect(decision?.writes).toMatchObject([
      {
        name: "data-web-5",
        patch: [
          { op: "test", path: "/metadata/uid", value: "c5" },
          { op: "test", path: "/metadata/resourceVersion", value: "9" },
          { op: "add", path: "/metadata/ownerReferences/-", value: toSet },
        ],
      },
    ]);
    expect(decision?.progress).toBe("unchanged");
  });

  test.each<[string, StatefulSet | undefined, boolean]>([
    ["is as it was", set, true],
    ["keeps its claims now", followed({ field: "Retain/Delete" }), false],
    ["has a policy that keeps them now", followed({ field: withSet }, "Retain"), false],
    ["has an annotation that keeps them now", followed({ field: withSet, policy: "Retain" }), false],
    ["has an annotation that cannot be read", followed({ field: withSet, policy: "delete" }), false],
    ["has an annotation that deletes them", followed({ field: withSet, policy: onDeletion }), true],
    ["is being deleted", followed({ field: withSet, metadata: { deletionTimestamp: "2026-03-01T11:00:00Z" } }), false],
    ["is another one of the name", followed({ field: withSet, metadata: { uid: "u2" } }), false],
    ["is gone", undefined, false],
  ])("only while the set, read again, %s", (_, live, isTied) => {
    const [precondition] = tied()?.preconditions ?? [];
    expect(precondition).toMatchObject({ kind: { kind: "StatefulSet" }, namespace: "shop", name: "web" });
    expect(precondition?.holds(live)).toBe(isTied);
  });

  test.each<[string, string | undefined, boolean]>([
    ["says nothing", undefined, true],
    ["deletes them", "DeleteOnScaledownAndStatefulSetDeletion", true],
    ["keeps them", "Retain", false],
    ["has a policy that cannot be read", "x", false],
  ])("only while its namespace, read again, %s", (_, said, isTied) => {
    const [, precondition] = tied()?.preconditions ?? [];
    expect(precondition).toMatchObject({ kind: { kind: "Namespace" }, namespace: undefined, name: "shop" });
    expect(precondition?.holds(homeOf(said))).toBe(isTied);
  });

  test("in place of its namespace's policy, only while the set has the annotation that overrules it", () => {
    const set = followed({ field: withSet, policy: onDeletion });
    const [decision] = decideOn(set, claimIn({}), [], "Retain");
    const [precondition, ...more] = (decision?.do === "write" && decision.preconditions) || [];
    expect(more).toEqual([]);
    expect([set, followed({ field: withSet })].map((live) => precondition?.holds(live))).toEqual([true, false]);
  });
});

test("for all owners of a claim, only the reference to the set is added or removed", () => {
  const owners = fc
    .subarray([toSet, inTreeSet, toPod, custom, plain, earlier])
    .filter((list) => list.filter(({ controller }) => controller).length < 2);
  const fields = fc.constantFrom("Delete/Retain", "Retain/Delete", "Delete/Delete", "Retain/Retain");
  const policies = fc.constantFrom(onDeletion, "Retain", false as const);
  fc.assert(
    fc.property(owners, fields, policies, fc.boolean(), fc.boolean(), (owners, field, policy, used, hasPod) => {
      const pods = hasPod ? [rescue] : [];
      const { claim } = decide({ owners, field, policy, pods, ...(used ? {} : { used: undefined }) });
      if (kindOf(claim) === "tie") {
        expect(used && policy === onDeletion && field.startsWith("Delete") && !hasPod).toBe(true);
        expect(owners.every(({ controller }) => !controller)).toBe(true);
      }
      if (claim?.do !== "write") return;
      const [write] = claim.writes;
      // Where nothing is written but that there is nothing to remember any more.
      if (!write) return;
      const operations = write.verb === "patch" ? (write.patch as { op: string; path: string }[]) : [];
      const removed = operations.filter(
        ({ op, path }) => op === "remove" && path.startsWith("/metadata/ownerReferences/"),
      );
      for (const { path } of removed) expect(owners[Number(path.split("/").at(-1))]?.uid).toBe(uidOfSet);
      expect(operations.slice(0, 2).map(({ path }) => path)).toEqual(["/metadata/uid", "/metadata/resourceVersion"]);
    }),
  );
});

test("a note that was copied from another claim has no effect", () => {
  const copied = noted(claimOf(4), name, "used", { set: uidOfSet, labels: "match" }).metadata.annotations;
  const claim = claimOf(5, { annotations: copied });
  expect(readProgress(claim, name)).toBeUndefined();
  expect(kindOf(decideOn(followed({ field: withSet }), claim)[0])).toBe("record");
});

describe("an uninstall, of a claim without the note,", () => {
  const [left] = setOwner.leavesBehind ?? [];
  const claim = (owner: OwnerReference) => claimIn({ used: undefined, owners: [plain, owner] });

  test("undoes the reference that has the form of ours, and no other", () => {
    expect(left?.isOn(claim(toSet))).toBe(true);
    const patch = expect.arrayContaining([{ op: "remove", path: "/metadata/ownerReferences/1" }]);
    expect(left?.undo?.(claim(toSet))).toMatchObject({ patch });
    // No claim of a set has such a name.
    expect(left?.isOn(claimIn({ used: undefined, owners: [toSet], metadata: { name: "data-web" } }))).toBe(false);
  });

  test.each([
    ["Kubernetes' own", inTreeSet],
    ["one of an earlier Kubernetes", { apiVersion: "apps/v1", kind: "StatefulSet", name: "web", uid: uidOfSet }],
    ["one that does not control the claim", earlier],
    ["one to a pod", toPod],
    ["one to an object of another kind", reference("Custom", "web", "x")],
    ["one to a set that is not in its name", reference("StatefulSet", "db", "u9")],
    ["one to a set that ends like the one in its name", reference("StatefulSet", "eb", "u9")],
  ])("leaves %s", (_, owner) => {
    expect(left?.isOn(claim(owner))).toBe(false);
    expect(left?.undo?.(claim(owner))).toBeUndefined();
  });
});
