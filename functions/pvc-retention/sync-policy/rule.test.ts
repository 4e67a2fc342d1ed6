import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Decision } from "../../../shared/decision.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { progressKey, readProgress } from "../../../shared/progress.ts";
import { policyKey, readPolicy } from "../lib/policy.ts";
import type { StatefulSet } from "../lib/stateful-set.ts";
import { noon, setOf } from "../lib/testing/objects.ts";
import { syncPolicy } from "./rule.ts";

type Shape = NonNullable<Parameters<typeof setOf>[0]>;
const both = "DeleteOnScaledownAndStatefulSetDeletion";
const key = progressKey(syncPolicy.name);
const occasions = ["whenDeleted", "whenScaled"] as const;

function decide(set: StatefulSet, namespacePolicy?: string, now = noon): Decision | undefined {
  const metadata = { name: "shop", uid: "n", resourceVersion: "1" };
  const annotations = namespacePolicy === undefined ? {} : { [policyKey]: namespacePolicy };
  const home = { apiVersion: "v1", kind: "Namespace", metadata: { ...metadata, annotations } };
  return syncPolicy.decide([{ set, policy: readPolicy(set, home) }], now, {})[0];
}

/** Nothing is written; what the note warns of goes on being so, and `explain` says it. */
function expectNothingNew(set: StatefulSet, namespacePolicy?: string) {
  const decision = decide(set, namespacePolicy);
  if (readProgress(set, syncPolicy.name)?.step === "in-force") expect(decision).toBeUndefined();
  else expect(decision).toMatchObject({ do: "write", writes: [], progress: "unchanged" });
}

interface Applied {
  metadata: { uid: string; resourceVersion: string };
  spec?: { persistentVolumeClaimRetentionPolicy: Record<string, string> };
}
const applied = (decision: Decision | undefined) => {
  const [write] = decision?.do === "write" ? decision.writes : [];
  return write?.verb === "patch" ? (write.patch as Applied) : undefined;
};

/** The Event of the step that the decision leads to. */
const eventOf = (decision: Decision | undefined) => syncPolicy.steps?.[stepOf(decision)?.name ?? ""];

const stepOf = (decision: Decision | undefined) => {
  const step = decision && "step" in decision ? decision.step : undefined;
  return step;
};

/**
 * The set after the decision: Holdfast holds what it has applied, and managers that do not apply it do not hold it.
 */
function carriedOut(shape: Shape, decision: Decision | undefined): Shape {
  const patch = applied(decision);
  const step = stepOf(decision);
  const attempt = step?.attempt ? { attempt: step.attempt } : {};
  const text = step
    ? JSON.stringify({ v: 1, uid: "u1", since: "", because: "", step: step.name, ...attempt, ...step.details })
    : undefined;
  const field = patch?.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  const [deleted, scaled] = (shape.field ?? "Retain/Retain").split("/");
  // A manager that applies the same value goes on holding it.
  const before: Record<string, string | undefined> = { whenDeleted: deleted, whenScaled: scaled };
  const others = (shape.held ?? []).filter(([manager]) => manager !== "us");
  const held = patch
    ? [
        ...others.map(([manager, operation, ...held]) => [
          manager,
          operation,
          ...held.filter((one) => !(one in field) || field[one] === before[one]),
        ]),
        ["us", "Apply", ...Object.keys(field)],
      ]
    : shape.held;
  const { annotations, ...metadata } = (shape.metadata ?? {}) as { annotations?: object };
  return {
    ...shape,
    field: `${field.whenDeleted ?? deleted}/${field.whenScaled ?? scaled}`,
    held: held as NonNullable<Shape["held"]>,
    metadata: { ...metadata, annotations: { ...annotations, ...(text === undefined ? {} : { [key]: text }) } },
  };
}

describe("the field becomes", () => {
  const creator = [["kubectl-create", "Update", ...occasions]] as const;
  const flux = [["flux", "Apply", ...occasions]] as const;
  const helm = [["helm", "Update", ...occasions]] as const;
  const becomes = (shape: Shape, expected: object | undefined, step: string) => {
    const decision = decide(setOf(shape));
    expect(applied(decision)?.spec?.persistentVolumeClaimRetentionPolicy).toEqual(expected);
    const settled = setOf(carriedOut(shape, decision));
    expect(readProgress(settled, syncPolicy.name)?.step).toBe(step);
    // Once done it is done, and no update of the set that changes nothing asks for a look.
    expectNothingNew(settled);
    expect(subjects("update", settled)).toEqual([]);
  };
  test("the policy, over a default", () =>
    becomes({ policy: both, held: creator }, { whenDeleted: "Delete", whenScaled: "Delete" }, "in-force"));
  test("the policy in the half that it deletes", () =>
    becomes({ policy: "DeleteOnScaledownOnly", held: creator }, { whenScaled: "Delete" }, "in-force"));
  test("what it is, if another manager applies a Retain", () =>
    becomes({ policy: both, held: flux }, undefined, "held"));
  test("the policy in one half, if another manager applies a Retain in the other", () =>
    becomes({ policy: both, held: [["flux", "Apply", "whenDeleted"]] }, { whenScaled: "Delete" }, "held"));
  test("Retain, if another manager has chosen a Delete", () =>
    becomes(
      { policy: "Retain", field: "Delete/Delete", held: helm },
      { whenDeleted: "Retain", whenScaled: "Retain" },
      "held",
    ));
  test("what it is, if another manager has chosen the same", () =>
    becomes({ policy: both, field: "Delete/Delete", held: helm }, undefined, "in-force"));
  test("Retain, if the policy cannot be read", () =>
    becomes(
      { policy: "delete", field: "Delete/Retain", held: [["us", "Apply", "whenDeleted"]] },
      { whenDeleted: "Retain" },
      "unreadable",
    ));

  test("nothing while the set is being deleted", () => {
    const deletionTimestamp = "2026-03-01T11:00:00Z";
    expect(decide(setOf({ policy: both, metadata: { deletionTimestamp } }))).toBeUndefined();
  });

  test("by a write that names the set as it was read", () =>
    expect(applied(decide(setOf({ policy: both })))?.metadata).toMatchObject({ uid: "u1", resourceVersion: "5" }));
});

describe("Warnings", () => {
  test("are recorded when a person has to correct something, and cleared afterwards", () => {
    const shape: Shape = { policy: "delete" };
    const decision = decide(setOf(shape));
    expect(eventOf(decision)).toEqual({ type: "Warning", reason: "PolicyUnreadable" });
    const mended = decide(setOf({ ...carriedOut(shape, decision), policy: "Retain" }));
    expect(mended).toMatchObject({ do: "wait", step: { name: "in-force" } });
  });

  test("name the manager that keeps claims, and the one that had them deleted", () => {
    const keeps = decide(setOf({ policy: both, held: [["flux", "Apply", ...occasions]] }));
    expect(eventOf(keeps)?.reason).toBe("RetentionPolicyHeld");
    expect(keeps?.message).toContain("flux keeps");
    const deletes = decide(
      setOf({ policy: "Retain", field: "Delete/Retain", held: [["helm", "Update", "whenDeleted"]] }),
    );
    expect(deletes?.message).toContain("keeps claims that helm had it delete");
  });
});

describe("a value that another manager sets back", () => {
  const taken = (minutes: number) => {
    let shape: Shape = { policy: both };
    const decisions: (Decision | undefined)[] = [];
    for (let round = 0; round < 4; round++) {
      const decision = decide(setOf(shape), undefined, noon + round * minutes * 60_000);
      decisions.push(decision);
      shape = { ...carriedOut(shape, decision), field: "Retain/Retain", held: [["argocd", "Update", ...occasions]] };
    }
    return { decisions, shape };
  };

  test("is applied three times, and then what the field says is in force", () => {
    const { decisions, shape } = taken(1);
    expect(decisions.map((decision) => decision?.do)).toEqual(["write", "write", "write", "stop"]);
    expect(eventOf(decisions[3])?.reason).toBe("RetentionPolicyTakenBack");
    expect(decisions[3]?.message).toContain("{whenDeleted: Retain, whenScaled: Retain} is in force");
    expect(subjects("update", setOf(shape))).toEqual([]);
    // Another policy is another matter.
    expect(decide(setOf({ ...shape, policy: "DeleteOnScaledownOnly" }))?.do).toBe("write");
    expect(decide(setOf({ ...shape, field: "Retain/Delete" }))?.do).toBe("stop");
  });

  test("is applied again after what the message asks for, which an event of the set shows", () => {
    const { decisions, shape } = taken(1);
    const given = setOf(carriedOut(shape, decisions[3]));
    const rid = (set: StatefulSet) => {
      const { [key]: _, ...annotations } = set.metadata.annotations ?? {};
      return { ...set, metadata: { ...set.metadata, annotations } };
    };
    expect(decisions[3]?.message).toContain(`Then remove the annotation ${key}.`);
    expect(subjects("update", rid(given))).toHaveLength(1);
    expect(decide(rid(given))?.do).toBe("write");

    // Under the policy of the namespace, a set without the note looks like one that has none.
    const { policy: _, ...ofNamespace } = shape;
    const applied = new Date(noon).toISOString();
    const details = { policy: both, from: "namespace", field: "Delete/Delete", holders: [], applied };
    const text = JSON.stringify({ v: 1, uid: "u1", since: "", because: "", step: "in-force", attempt: 3, ...details });
    const stopped = decide(setOf({ ...ofNamespace, metadata: { annotations: { [key]: text } } }), both);
    expect(stopped?.message).toContain(`Then name the policy by the annotation ${policyKey} of the set itself.`);
    const settled = setOf({ ...carriedOut(ofNamespace, stopped), policy: both });
    expect(subjects("update", settled)).toHaveLength(1);
    expect(decide(settled, both)?.do).toBe("write");
  });

  test("is applied each time if more than an hour lies between", () =>
    expect(taken(90).decisions.map((decision) => decision?.do)).toEqual(["write", "write", "write", "write"]));
});

describe("when the policy is removed", () => {
  const shape: Shape = { policy: both };
  const written = carriedOut(shape, decide(setOf(shape)));
  const { policy: _, ...gone } = written;

  test("the field is given up first, and then the note", () => {
    const back = decide(setOf(gone));
    expect(applied(back)?.spec).toBeUndefined();
    expect(decide(setOf({ ...carriedOut(gone, back), held: [], field: "Retain/Retain" }))).toMatchObject({
      do: "leave",
    });
  });

  test("a field that another manager holds as well stays", () => {
    const held = [["helm", "Update", ...occasions]] as const;
    expect(decide(setOf({ ...gone, held }))).toMatchObject({ do: "leave" });
  });

  test("a set that never had one is left alone", () =>
    expect(decide(setOf({ field: "Delete/Delete" }))).toBeUndefined());
});

function subjects(change: Hint["change"], object: KubernetesObject | undefined, kind = object?.kind ?? "StatefulSet") {
  const name = object?.metadata.name ?? "web";
  const namespace = kind === "Namespace" ? {} : { namespace: "shop" };
  return syncPolicy.subjects({ id: "e", change, apiVersion: "apps/v1", kind, ...namespace, name, object }, {});
}

describe("what triggers the rule", () => {
  const sets = expect.objectContaining({ kind: "StatefulSet" });
  test.each<[string, Hint["change"], KubernetesObject | undefined, string | undefined, boolean]>([
    ["a new set, which may have its policy from its namespace", "add", setOf(), undefined, true],
    ["a set without a spec, as a damaged event has it", "update", { ...setOf({}), spec: undefined }, undefined, false],
    ["a set with a policy and without a note", "update", setOf({ policy: both }), undefined, true],
    ["a set without a policy", "update", setOf(), undefined, false],
    // It may have its policy from its namespace, and have lost the note of it when a tool replaced the set.
    ["a set without a policy that deletes claims", "update", setOf({ field: "Delete/Retain" }), undefined, true],
    ["a set without a policy that deletes some", "update", setOf({ field: "Retain/Delete" }), undefined, true],
    ["a set of which only the name is known", "sweep", undefined, undefined, true],
    ["a set that is gone", "delete", setOf({ policy: both }), undefined, false],
    [
      "a set that is being deleted",
      "update",
      setOf({ policy: both, metadata: { deletionTimestamp: "x" } }),
      undefined,
      false,
    ],
    ["an object of another kind", "update", undefined, "Pod", false],
  ])("%s: %#", (_, change, object, kind, isTriggered) =>
    expect(subjects(change, object, kind)).toEqual(isTriggered ? [{ kind: sets, namespace: "shop", name: "web" }] : []),
  );

  test("a namespace: all of its sets", () =>
    expect(subjects("update", undefined, "Namespace")).toEqual([{ kind: sets, namespace: "web" }]));

  test("a set under its namespace's policy: none, until it has its own", () => {
    const shape: Shape = {};
    const settled = carriedOut(shape, decide(setOf(shape), both));
    expectNothingNew(setOf(settled), both);
    expect(subjects("update", setOf(settled))).toEqual([]);
    expect(subjects("update", setOf({ ...settled, policy: "Retain" }))).toHaveLength(1);
    expect(subjects("update", setOf({ ...settled, field: "Retain/Retain" }))).toHaveLength(1);
  });
});

test(
  "for all policies and choices of others, the field never deletes more than either of them asks for, " +
    "and is not written again",
  () => {
    const fate = fc.constantFrom("Retain", "Delete");
    const held = fc.array(
      fc
        .tuple(fc.constantFrom("flux", "helm", "us"), fc.constantFrom("Apply", "Update"), fc.subarray([...occasions]))
        .map(([manager, operation, held]) => [manager, operation, ...held] as const),
      { maxLength: 3 },
    );
    const policy = fc.option(
      fc.constantFrom("Retain", both, "DeleteOnScaledownOnly", "DeleteOnStatefulSetDeletionOnly", "?"),
      { nil: undefined },
    );
    fc.assert(
      fc.property(policy, fate, fate, held, (policy, deleted, scaled, held) => {
        const shape: Shape = { ...(policy ? { policy } : {}), field: `${deleted}/${scaled}`, held: held as never };
        const decision = decide(setOf(shape));
        const next = carriedOut(shape, decision);
        const set = setOf(next);
        const asked = readPolicy(set, undefined);
        for (const [index, occasion] of occasions.entries()) {
          const [before, now] = [shape.field, next.field].map((field) => field?.split("/")[index]);
          if (now === "Delete" && before === "Retain") {
            expect(asked?.[occasion]).toBe("Delete");
            expect(
              held.some(([manager, by, ...of]) => manager !== "us" && by === "Apply" && of.includes(occasion)),
            ).toBe(false);
          }
          if (asked?.[occasion] === "Retain") expect(now).toBe("Retain");
        }
        if (policy) expectNothingNew(set);
      }),
    );
  },
);

test("a set gets the policy of its namespace only while the namespace names it, before and after the write", () => {
  const home = (policy?: string) => ({ metadata: { annotations: policy ? { [policyKey]: policy } : {} } }) as never;
  const preconditionsOf = (decision: Decision | undefined) =>
    (decision?.do === "write" && decision.preconditions) || [];
  const [condition, ...more] = preconditionsOf(decide(setOf({}), both));
  expect(more).toEqual([]);
  expect(condition).toMatchObject({ kind: { kind: "Namespace" }, namespace: undefined });
  expect([home(both), home("Retain"), home(), undefined].map((live) => condition?.holds(live))).toEqual([
    ...[true, false, false, false],
  ]);
  expect(preconditionsOf(decide(setOf({ policy: both }), "Retain"))).toEqual([]);
});
