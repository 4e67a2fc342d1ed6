import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Decision } from "../../../shared/decision.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import type { KubernetesObject, OwnerReference } from "../../../shared/kubernetes/object.ts";
import { nextProgress, progressKey, waitingLabel } from "../../../shared/progress.ts";
import { cascading, deletingRule } from "../../../shared/retention/cascade.ts";
import { type Cause, markingRule, readMark } from "../../../shared/retention/mark.ts";
import {
  claimOf,
  lookedAt,
  noon,
  podOf,
  reference,
  setOf,
  uidOfSet,
} from "../../../shared/retention/testing/objects.ts";
import { deleteAtKey } from "../../../shared/retention/traces.ts";
import { grace } from "./rule.ts";

const both = "DeleteOnScaledownAndStatefulSetDeletion";
const scaled = "DeleteOnScaledownOnly";
const deleted = "DeleteOnStatefulSetDeletionOnly";
const day = 86_400_000;
const tomorrow = "2026-03-02T12:00:00Z";
const key = progressKey(markingRule);
const deletionTimestamp = "2026-03-01T11:59:00Z";
const custom = reference("Custom", "db", "x");

interface Known {
  step?: string;
  cause?: Cause;
  setUid?: string;
  policy?: string;
  /** Of the set, when it was seen last. */
  generation?: number;
  /** The mark on the claim; as written down if nothing is said, `null` when somebody took it away. */
  at?: string | null;
}
interface Case {
  policy?: string | undefined;
  delay?: string | undefined;
  ordinal?: number;
  known?: Known | undefined;
  claim?: object;
  owners?: OwnerReference[];
  pod?: "running" | "deleting";
  rival?: string;
  relabelled?: boolean;
  /** Of the set, now. */
  generation?: number;
  /** The set is being deleted, and what is known of it. */
  set?: "undecided" | "cascading" | "keeping" | "orphaned";
}

function claimWith({ ordinal = 1, known, owners, claim }: Case): KubernetesObject {
  const plain = claimOf(ordinal, { ...(owners ? { ownerReferences: owners } : {}), ...claim });
  if (!known) return plain;
  const { step = "marked", cause = "scaled-down", setUid = uidOfSet, policy = both, generation, at = tomorrow } = known;
  const next = step === "marked" ? Date.parse(tomorrow) : undefined;
  const details = { set: "web", setUid, cause, policy, ...(generation === undefined ? {} : { generation }) };
  const text = nextProgress(plain, markingRule, { name: step, details }, "It is.", noon, next) ?? "";
  const annotations = { [key]: text, ...(at === null ? {} : { [deleteAtKey]: at }) };
  return { ...plain, metadata: { ...plain.metadata, labels: { [waitingLabel]: "true" }, annotations } };
}

/** A set of one replica, and a claim of ordinal 1 if nothing else is said. */
function facts(one: Case) {
  const { policy = both, delay = "24h" } = one;
  const deleting = one.set
    ? { deletionTimestamp, finalizers: one.set === "orphaned" ? ["orphan"] : ["x.example/y"] }
    : {};
  const plain = setOf({
    ...("policy" in one && !one.policy ? {} : { policy }),
    ...("delay" in one && !one.delay ? {} : { delay }),
    ...(one.generation === undefined ? {} : { generation: one.generation }),
    ...deleting,
  });
  const step = { cascading, orphaned: cascading, keeping: "keeping", undecided: "" }[one.set ?? "undecided"];
  const text = step
    ? { [progressKey(deletingRule)]: nextProgress(plain, deletingRule, { name: step }, "So.", noon) ?? "" }
    : {};
  const set = { ...plain, metadata: { ...plain.metadata, annotations: { ...plain.metadata.annotations, ...text } } };
  const pod = one.pod && podOf(one.ordinal ?? 1, one.pod === "deleting" ? { deletionTimestamp } : {});
  return lookedAt(set, [{ claim: claimWith(one), pod, rival: one.rival, relabelled: one.relabelled ?? false }]);
}
const decide = (one: Case, at = noon): Decision | undefined => grace.decide({ set: facts(one) }, at, {})[0];
/** As when the claim's own time comes: `heirs` where the set is gone. */
function decideClaim(one: Case & { user?: string; gone?: string[] }, at = noon): Decision | undefined {
  const claim = claimWith(one);
  const mark = readMark(claim);
  if (!mark) throw new Error("A mark was expected.");
  const heirs = (one.gone ?? []).map((name) => ({ ...setOf(), metadata: { ...setOf().metadata, name } }));
  const of = one.gone ? undefined : facts(one);
  return grace.decide({ claim: { claim, mark, user: one.user, of, heirs } }, at, {})[0];
}

/** In a word, what becomes of the claim. */
function story(decision: Decision | undefined): string {
  if (!decision) return "nothing";
  if (decision.do === "wait") return decision.step?.name ?? "waits";
  if (decision.do !== "write") return decision.do;
  const [write] = decision.writes;
  if (write?.verb === "delete") {
    expect(write.options).toEqual({ uid: decision.about.metadata.uid, resourceVersion: "9" });
    return "deleted";
  }
  const { patch } = write as { patch: { metadata: { annotations: Record<string, string | null> } } };
  return patch.metadata.annotations[deleteAtKey] === null ? "called off" : "marked anew";
}

describe("a claim without a mark", () => {
  test.each<[string, Case, string]>([
    ["is marked when its replica was scaled away and the pod is gone", {}, "marked anew"],
    ["is marked while the pod goes", { pod: "deleting" }, "marked anew"],
    ["is not marked under a running pod", { pod: "running" }, "nothing"],
    ["is not marked in range", { ordinal: 0 }, "nothing"],
    ["is marked with DeleteOnScaledownOnly", { policy: scaled }, "marked anew"],
    ["is not marked with DeleteOnStatefulSetDeletionOnly", { policy: deleted }, "nothing"],
    ["is not marked with Retain", { policy: "Retain" }, "nothing"],
    ["is not marked without a delay", { delay: undefined }, "nothing"],
    ["is not marked with a delay that nobody can read", { delay: "soon" }, "nothing"],
    ["is not marked when it is going", { claim: { deletionTimestamp } }, "nothing"],
    ["is not marked when another set yields its name", { rival: "shop-web" }, "nothing"],
    ["is not marked when somebody else controls it", { owners: [custom] }, "nothing"],
    ["is not marked when somebody else owns it", { owners: [{ ...custom, controller: false }] }, "nothing"],
    ["is not marked while nobody knows how its set is deleted", { set: "undecided" }, "nothing"],
    ["is not marked when its set leaves it behind", { set: "keeping" }, "nothing"],
    ["is not marked when its set is orphaned after all", { set: "orphaned" }, "nothing"],
    ["is marked in range when its set goes with it", { set: "cascading", ordinal: 0, pod: "running" }, "marked anew"],
    ["is not marked when its set goes and the policy keeps it", { set: "cascading", policy: scaled }, "nothing"],
    [
      "is marked although it carries somebody's own note",
      { claim: { annotations: { [deleteAtKey]: "2020-01-01T00:00:00Z" } } },
      "marked anew",
    ],
  ])("%s", (_, one, expected) => {
    expect(story(decide(one))).toBe(expected);
  });

  test("gets mark, progress and label in one patch, and says how to keep it", () => {
    const decision = decide({});
    const [write] = decision?.do === "write" ? decision.writes : [];
    expect(write).toMatchObject({
      type: "merge",
      patch: {
        metadata: {
          uid: "c1",
          resourceVersion: "9",
          annotations: { [deleteAtKey]: tomorrow },
          labels: { [waitingLabel]: "true" },
        },
      },
    });
    const { patch } = write as { patch: { metadata: { annotations: Record<string, string> } } };
    expect(readMark(claimOf(1, patch.metadata))).toMatchObject({
      set: "web",
      setUid: uidOfSet,
      cause: "scaled-down",
      policy: both,
    });
    expect(decision?.notice).toMatchObject({ type: "Warning", reason: "DeletionScheduled" });
    expect(decision?.because).toContain(`kubectl annotate pvc data-web-1 -n shop ${deleteAtKey}-`);
  });
});

test("a mark gives all of the delay, in whole seconds", () => {
  const decision = decide({}, noon + 1);
  const [write] = decision?.do === "write" ? decision.writes : [];
  const annotations = { [deleteAtKey]: "2026-03-02T12:00:01Z" };
  expect(write).toMatchObject({ patch: { metadata: { annotations } } });
});

describe("a marked claim that may have been in use again meanwhile, because its set has changed twice", () => {
  const past = "2026-02-01T00:00:00Z";
  const seen: Known = { generation: 4, at: past };
  test.each<[string, Parameters<typeof decideClaim>[0], string]>([
    ["gets all of the delay anew", { known: seen, generation: 6 }, "marked anew"],
    ["gets it when its set is being deleted, too", { known: seen, generation: 6, set: "cascading" }, "marked anew"],
    ["goes when the set has changed once", { known: seen, generation: 5 }, "deleted"],
    ["goes when the set has not changed", { known: seen, generation: 4 }, "deleted"],
    ["goes when an earlier version did not note it", { known: { at: past }, generation: 6 }, "deleted"],
    [
      "stays a while longer if people have said so",
      { known: { ...seen, at: "2027-01-01T00:00:00Z" }, generation: 6 },
      "marked",
    ],
    ["stays for a time that cannot be read", { known: { ...seen, at: "soon" }, generation: 6 }, "unreadable"],
    ["stays if it was saved", { known: { ...seen, at: null }, generation: 6 }, "saved"],
    [
      "keeps its time where there is no delay any more, and is looked at again",
      { known: seen, generation: 6, delay: undefined },
      "marked",
    ],
  ])("%s", (_, one, expected) => {
    expect(story(decideClaim(one))).toBe(expected);
  });

  test("is followed from change to change", () => {
    expect(decide({ known: { generation: 4 }, generation: 5 })).toMatchObject({ step: { details: { generation: 5 } } });
  });
});

test("a claim that changed between two reads is not deleted for what it was", () => {
  const claim = claimWith({ known: { at: "2026-03-01T12:00:00Z" } });
  const mark = readMark(claim);
  if (!mark) throw new Error("A mark was expected.");
  const of = facts({ known: { at: "2026-03-01T12:00:00Z" }, claim: { resourceVersion: "10" } });
  const looked = { claim: { claim, mark, user: undefined, of, heirs: [] } };
  expect(story(grace.decide(looked, noon, {})[0])).toBe("marked");
});

describe("a marked claim", () => {
  const marked = { known: {} };
  test.each<[string, Case, string]>([
    ["stays marked", marked, "marked"],
    ["is never deleted on behalf of its set, even when it is due", { known: { at: "2026-02-01T00:00:00Z" } }, "marked"],
    ["stays marked when the delay is taken away", { ...marked, delay: undefined }, "marked"],
    ["is called off when it is in range again", { ...marked, ordinal: 0 }, "called off"],
    ["is called off with Retain", { ...marked, policy: "Retain" }, "called off"],
    ["is called off without policy", { ...marked, policy: undefined }, "called off"],
    ["is called off when the delay cannot be read any more", { ...marked, delay: "soon" }, "called off"],
    ["is called off when another set yields its name", { ...marked, rival: "shop-web" }, "called off"],
    ["is called off when somebody gives it other labels", { ...marked, relabelled: true }, "called off"],
    ["is called off when somebody owns it", { ...marked, owners: [custom] }, "called off"],
    ["waits while nobody knows how its set is deleted", { ...marked, set: "undecided" }, "nothing"],
    ["waits when its set is orphaned after all", { ...marked, set: "orphaned" }, "nothing"],
    ["goes on with its set", { ...marked, set: "cascading" }, "marked"],
    ["is marked anew by a set that was made anew", { known: { setUid: "u0" } }, "marked anew"],
    [
      "is called off by a set that was made anew and has no delay",
      { known: { setUid: "u0" }, delay: undefined },
      "called off",
    ],
    ["is saved when somebody takes the mark away", { known: { at: null } }, "saved"],
    ["is not saved but used when it is in range again", { known: { at: null }, ordinal: 0 }, "called off"],
    ["waits for a time that can be read", { known: { at: "soon" } }, "unreadable"],
    ["waits for a time with its zone", { known: { at: "2026-03-02T12:00:00" } }, "unreadable"],
    ["is marked again when the time is mended", { known: { step: "unreadable" } }, "marked"],
  ])("%s", (_, one, expected) => {
    expect(story(decide(one))).toBe(expected);
  });

  test.each<[string, Case, boolean]>([
    ["that it was deleted under a pod that was made in that moment", { ordinal: 0, pod: "running" }, true],
    ["nothing when nobody uses it", { ordinal: 0 }, false],
    ["nothing when its pod goes with it", { ordinal: 0, pod: "deleting" }, false],
    ["nothing when its replica is not wanted", { pod: "running" }, false],
    ["nothing when its set goes, too", { ordinal: 0, pod: "running", set: "cascading" }, false],
    ["nothing when somebody else has deleted it", { ordinal: 0, pod: "running", known: undefined }, false],
  ])("being deleted, tells %s", (_, one, isTold) => {
    const decision = decide({ ...("known" in one ? {} : marked), ...one, claim: { deletionTimestamp } });
    const notice = { type: "Warning", reason: "ReplicaOnDeletedClaim" };
    if (isTold) expect(decision).toMatchObject({ do: "tell", notice });
    else expect(decision).toBeUndefined();
  });

  test("takes back what was told of a time that nobody could read, once it is mended", () => {
    expect(decide({ known: { step: "unreadable" } })).toMatchObject({ retract: ["UnreadableDeleteTime"] });
    expect(decide(marked)).toMatchObject({ retract: [] });
  });

  test("is left as it is when it was gone for its set while its own last look still saw it", () => {
    const claim = claimWith(marked);
    const mark = readMark(claim);
    if (!mark) throw new Error("A mark was expected.");
    const of = lookedAt(setOf({ policy: both, delay: "24h" }), []);
    expect(grace.decide({ claim: { claim, mark, user: undefined, of, heirs: [] } }, noon, {})).toEqual([]);
  });

  test("keeps to the time that people moved", () => {
    expect(decide({ known: { at: "2026-04-01T08:00:00+02:00" } })).toMatchObject({
      next: Date.parse("2026-04-01T06:00:00Z"),
    });
  });

  test("is looked at twice before it is the set's deletion that it goes with", () => {
    expect(decide({ known: {}, set: "cascading" })).toMatchObject({ step: { details: { cause: "set-deleting" } } });
    expect(decide({ known: { cause: "set-deleting" }, set: "cascading" })).toMatchObject({
      step: { details: { cause: "set-deleted" } },
    });
  });

  test("does not hold its set up with a time that cannot be read", () => {
    const details = (cause: Cause) => decide({ known: { cause, at: "soon" }, set: "cascading" });
    expect(details("scaled-down")).toMatchObject({ step: { name: "unreadable", details: { cause: "set-deleting" } } });
    expect(details("set-deleting")).toMatchObject({ step: { name: "unreadable", details: { cause: "set-deleted" } } });
  });
});

describe("a saved claim", () => {
  const saved: Known = { step: "saved", at: null };
  test.each<[string, Case, string]>([
    ["stays", { known: saved }, "nothing"],
    ["stays when the delay changes", { known: saved, delay: "1h" }, "nothing"],
    ["stays when the delay is taken away", { known: saved, delay: undefined }, "nothing"],
    ["stays when its set goes", { known: saved, set: "cascading" }, "nothing"],
    ["stays when its set goes that has used it again", { known: saved, ordinal: 0, set: "cascading" }, "nothing"],
    ["is forgotten when it is used again", { known: saved, ordinal: 0 }, "called off"],
    ["is forgotten when the policy changes", { known: saved, policy: scaled }, "called off"],
    ["is forgotten when the policy goes", { known: saved, policy: undefined }, "called off"],
    ["is marked when somebody writes a time on it again", { known: { step: "saved" } }, "marked"],
  ])("%s", (_, one, expected) => {
    expect(story(decide(one))).toBe(expected);
  });
});

describe("a claim whose time has come", () => {
  const due: Known = { at: "2026-03-01T12:00:00Z" };
  const gone: Known = { ...due, cause: "set-deleted" };
  test.each<[string, Parameters<typeof decideClaim>[0], string]>([
    ["goes", { known: due }, "deleted"],
    ["goes without the delay that it was marked for", { known: due, delay: undefined }, "deleted"],
    ["does not go a moment earlier", { known: { at: "2026-03-01T12:00:01Z" } }, "marked"],
    ["waits for a pod that uses it", { known: due, user: "debug" }, "tell"],
    ["stays in range", { known: due, ordinal: 0 }, "called off"],
    ["stays with Retain", { known: due, policy: "Retain" }, "called off"],
    ["stays when somebody owns it", { known: due, owners: [custom] }, "called off"],
    ["stays when the set is another one", { known: { ...due, setUid: "u0" } }, "marked anew"],
    ["stays while nobody knows how its set is deleted", { known: due, set: "undecided" }, "nothing"],
    ["is looked at twice when its set goes", { known: due, set: "cascading" }, "marked"],
    ["waits until its set is gone", { known: gone, set: "cascading" }, "marked"],
    ["stays when its set leaves it behind", { known: gone, set: "keeping" }, "nothing"],
    ["stays when its set is orphaned after all", { known: gone, set: "orphaned" }, "nothing"],
    ["stays without a mark", { known: { ...due, at: null } }, "saved"],
    ["stays with a time that cannot be read", { known: { ...due, at: "now" } }, "unreadable"],
    ["is not deleted twice", { known: due, claim: { deletionTimestamp } }, "nothing"],
    ["goes after its set", { known: gone, gone: [] }, "deleted"],
    ["waits after its set for a pod that uses it", { known: gone, gone: [], user: "debug" }, "tell"],
    ["stays after its set until its time", { known: { cause: "set-deleted" }, gone: [] }, "marked"],
    [
      "stays when its set was not seen to go with it",
      { known: { ...due, cause: "set-deleting" }, gone: [] },
      "called off",
    ],
    ["stays when its set went after a scale-down", { known: due, gone: [] }, "called off"],
    ["stays when another set yields its name", { known: gone, gone: ["b-web"] }, "called off"],
    ["is the set's that came back meanwhile", { known: gone, gone: ["web"] }, "nothing"],
    ["stays when somebody owns it after its set", { known: gone, gone: [], owners: [custom] }, "called off"],
    [
      "stays when somebody owns it after its set without controlling it",
      { known: gone, gone: [], owners: [{ ...custom, controller: false }] },
      "called off",
    ],
    ["is saved after its set, too", { known: { ...gone, at: null }, gone: [] }, "saved"],
    ["stays saved after its set", { known: { ...gone, step: "saved", at: null }, gone: [] }, "nothing"],
  ])("%s", (_, one, expected) => {
    expect(story(decideClaim(one))).toBe(expected);
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
  const claim = (known?: Known, more: object = {}) => claimWith({ ...(known ? { known } : {}), claim: more });
  test.each<[string, Hint, string | undefined]>([
    ["a set with a policy", hint("update", setOf({ policy: both })), "web"],
    ["a set without traces", hint("update", setOf()), undefined],
    ["a set that is gone", hint("delete", setOf({ policy: both })), undefined],
    ["a pod of which only the name is known", hint("delete", undefined), "web"],
    ["a pod that goes on", hint("update", podOf(1)), undefined],
    ["a claim that was never marked", hint("update", claim()), undefined],
    ["our own mark", hint("update", claim({})), undefined],
    ["our own mark that is to be looked at again", hint("update", claim({ cause: "set-deleting" })), "data-web-1"],
    ["a mark that somebody moved", hint("update", claim({ at: "2027-01-01T00:00:00Z" })), "data-web-1"],
    ["a mark that somebody spoilt", hint("update", claim({ at: "x" })), "data-web-1"],
    ["a mark that somebody took away", hint("update", claim({ at: null })), "data-web-1"],
    [
      "a mark that somebody moved on a claim that goes",
      hint("update", claim({ at: "x" }, { deletionTimestamp })),
      undefined,
    ],
    ["a saved claim", hint("update", claim({ step: "saved", at: null })), undefined],
    ["a saved claim with a new time", hint("update", claim({ step: "saved" })), "data-web-1"],
    ["a claim that the sweep found", hint("sweep", undefined, "PersistentVolumeClaim"), "web-1"],
    ["a set that the sweep found", hint("sweep", undefined, "StatefulSet"), "web-1"],
  ])("%s", (_, hint, name) => {
    expect(grace.subjects(hint, {}).map((subject) => subject.name)).toEqual(name === undefined ? [] : [name]);
  });
});

describe("whatever the facts", () => {
  const cases = fc.record(
    {
      policy: fc.constantFrom(both, scaled, deleted, "Retain", "nonsense"),
      delay: fc.constantFrom("24h", "0s", "soon"),
      ordinal: fc.nat(2),
      known: fc.record(
        {
          step: fc.constantFrom("marked", "unreadable", "saved"),
          cause: fc.constantFrom<Cause>("scaled-down", "set-deleting", "set-deleted"),
          setUid: fc.constant("u0"),
          at: fc.constantFrom("2026-02-01T00:00:00Z", tomorrow, "soon", null),
        },
        { requiredKeys: [] },
      ),
      owners: fc.array(
        fc.constantFrom(custom, { ...custom, controller: false }, reference("StatefulSet", "web", uidOfSet)),
        { maxLength: 1 },
      ),
      pod: fc.constantFrom("running" as const, "deleting" as const),
      rival: fc.constant("b-web"),
      set: fc.constantFrom("undecided" as const, "cascading" as const, "keeping" as const, "orphaned" as const),
      user: fc.constant("debug"),
      gone: fc.constantFrom<string[]>([], ["web"], ["b-web"]),
    },
    { requiredKeys: ["known"] },
  ) as fc.Arbitrary<Case & { known: Known; user?: string; gone?: string[] }>;
  const times = fc.integer({ min: noon - day, max: noon + 2 * day });

  test("no claim goes before its time, without its mark, in range, under a pod, or for a set that keeps it", () => {
    fc.assert(
      fc.property(cases, times, (one, at) => {
        if (story(decideClaim(one, at)) !== "deleted") return;
        const { known, policy = both, gone, set } = one;
        expect(Date.parse(known.at ?? tomorrow)).toBeLessThanOrEqual(at);
        expect(known.at).not.toBeNull();
        expect(known.step ?? "marked").toBe("marked");
        expect(one.user).toBeUndefined();
        expect(known.cause).not.toBe("set-deleting");
        if (gone) {
          expect([known.cause, gone]).toEqual(["set-deleted", []]);
          return;
        }
        expect([undefined, "cascading"]).toContain(set);
        expect(set ? [both, deleted] : [both, scaled]).toContain(policy);
        if (!set) expect(one.ordinal ?? 1).toBeGreaterThan(0);
        expect([one.rival, known.setUid]).toEqual([undefined, undefined]);
      }),
      { numRuns: 2000 },
    );
  });

  test("nothing is deleted on behalf of a set, and what was decided is decided again", () => {
    fc.assert(
      fc.property(cases, times, (one, at) => {
        const decision = decide(one, at);
        expect(story(decision)).not.toBe("deleted");
        expect(decide(one, at)).toEqual(decision);
      }),
    );
  });

  test("what was marked is not written onto when it is looked at again", () => {
    fc.assert(
      fc.property(cases, ({ known: _, set: __, ...one }) => {
        const first = decide(one);
        if (story(first) !== "marked anew" || first?.do !== "write") return;
        const again = decide({ ...one, known: { policy: one.policy ?? both } });
        if (again?.do !== "wait" || !again.step) throw new Error("A wait was expected.");
        const claim = claimWith({ ...one, known: { policy: one.policy ?? both } });
        expect(nextProgress(claim, markingRule, again.step, again.because, noon, again.next)).toBeUndefined();
      }),
    );
  });

  test("a pod, an owner or a rival more never deletes what stayed", () => {
    fc.assert(
      fc.property(cases, times, (one, at) => {
        if (story(decideClaim(one, at)) === "deleted") return;
        for (const more of [{ user: "debug" }, { owners: [custom] }, { rival: "b-web" }])
          expect(story(decideClaim({ ...one, ...more }, at))).not.toBe("deleted");
      }),
    );
  });
});

describe("a claim that is older than its set, with nothing to show that the set has used it,", () => {
  const judged = (ordinal: number, pod: boolean, delay = "24h") => {
    const set = setOf({ policy: scaled, delay, creationTimestamp: "2026-03-01T11:00:00Z" });
    const claim = claimOf(ordinal, { creationTimestamp: "2026-03-01T10:00:00Z" });
    return grace.decide({ set: lookedAt(set, [{ claim, pod: pod ? podOf(ordinal) : undefined }]) }, noon, {})[0];
  };

  test("is not marked when the set does not want its replica, and that is told", () => {
    expect(judged(1, false)).toMatchObject({ do: "tell", notice: { reason: "CondemnedClaimKept" } });
  });

  test("is noted as used when a pod of the set is there, which is condemn's where there is no delay", () => {
    expect(judged(0, true)).toMatchObject({ do: "wait", step: { name: "used", details: { setUid: uidOfSet } } });
    expect(judged(0, true, "0s")).toBeUndefined();
    expect(judged(0, false)).toBeUndefined();
  });
});
