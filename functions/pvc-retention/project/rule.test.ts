import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Decision } from "../../../shared/decision.ts";
import type { Hint } from "../../../shared/event/hint.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { progressKey } from "../../../shared/progress.ts";
import { fieldManager } from "../../../shared/retention/field-managers.ts";
import { policyKey, readPolicy } from "../../../shared/retention/policy.ts";
import type { Fate, StatefulSet } from "../../../shared/retention/stateful-set.ts";
import { readSettings } from "../../../shared/settings.ts";
import { project } from "./rule.ts";

const key = progressKey(project.name);
const now = Date.parse("2026-03-01T12:00:00Z");
const both = "DeleteOnScaledownAndStatefulSetDeletion";
const names = ["Retain", "DeleteOnStatefulSetDeletionOnly", "DeleteOnScaledownOnly", both];

const leaves = { "f:whenDeleted": {}, "f:whenScaled": {} };
const heldBy = (manager: string, operation = "Update", held: object = leaves) => ({
  manager,
  operation,
  fieldsV1: { "f:spec": { "f:persistentVolumeClaimRetentionPolicy": held } },
});
const created = heldBy("kubectl-create");
const ours = heldBy(fieldManager, "Apply");

function setOf(
  policy: string | undefined,
  field: string | undefined,
  managers: object[] = [created],
  more = {},
): StatefulSet {
  const [whenDeleted = "Retain", whenScaled = "Retain"] = (field ?? "").split("/") as Fate[];
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: {
      name: "web",
      namespace: "shop",
      uid: "u1",
      resourceVersion: "9",
      managedFields: managers,
      ...more,
      annotations: {
        ...(policy === undefined ? {} : { [policyKey]: policy }),
        ...(more as { annotations?: object }).annotations,
      },
    },
    spec: field === undefined ? {} : { persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } },
  };
}
const decide = (set: StatefulSet, PROJECT = "whole", rivals: StatefulSet[] = [], at = now): Decision | undefined =>
  project.decide(
    [{ set, policy: readPolicy(set, undefined), rivals }],
    at,
    readSettings(project.settings, { PROJECT }),
  )[0];
interface Body {
  metadata: { uid: string; resourceVersion: string; annotations: Record<string, string> };
  spec?: { persistentVolumeClaimRetentionPolicy: { whenDeleted: string; whenScaled: string } };
}
const bodyOf = (decision: Decision | undefined) => {
  const [write] = decision?.do === "write" ? decision.writes : [];
  return write?.verb === "patch" && write.type === "apply" ? (write.patch as Body) : undefined;
};
/** What is applied, what is given back, or the step that is written down. */
const outcome = (decision: Decision | undefined) => {
  const body = bodyOf(decision);
  if (body) {
    const field = body.spec?.persistentVolumeClaimRetentionPolicy;
    return field ? `${field.whenDeleted}/${field.whenScaled}` : "given back";
  }
  return decision?.do === "wait" || decision?.do === "stop" ? decision.step?.name : decision?.do;
};

describe("the field", () => {
  test.each<[string, StatefulSet, string, string | undefined]>([
    [
      "the default, held by whoever created the set, is taken over",
      setOf(both, "Retain/Retain"),
      "whole",
      "Delete/Delete",
    ],
    ["only what belongs to a scale-down", setOf(both, "Retain/Retain"), "scaled", "Retain/Delete"],
    ["nothing at a scale-down: nothing is projected", setOf(names[1], "Retain/Retain"), "scaled", "in-force"],
    ["off: nothing is projected", setOf(both, "Retain/Retain"), "off", "in-force"],
    ["off, and ours before: it is given back", setOf(both, "Delete/Delete", [ours]), "off", "given back"],
    ["off, and somebody's Delete where the policy keeps", setOf("Retain", "Delete/Retain"), "off", "held"],
    ["off, and somebody's Delete that the policy wants, too", setOf(both, "Delete/Retain"), "off", "in-force"],
    ["a Delete that somebody chose stays", setOf("Retain", "Delete/Retain"), "whole", "held"],
    ["a Delete that somebody chose stays beside more that is wanted", setOf(both, "Retain/Delete"), "whole", "held"],
    ["a Delete that somebody holds with us stays", setOf("Retain", "Delete/Retain", [ours, created]), "whole", "held"],
    ["a Delete of which nobody is named stays", setOf("Retain", "Delete/Retain", []), "whole", "held"],
    ["ours is changed", setOf("Retain", "Delete/Delete", [ours]), "whole", "Retain/Retain"],
    [
      "ours is changed beside a Retain of its creator's",
      setOf(both, "Delete/Retain", [ours, heldBy("helm", "Update", { "f:whenScaled": {} })]),
      "whole",
      "Delete/Delete",
    ],
    [
      "an update by a manager of our name is not ours",
      setOf("Retain", "Delete/Retain", [heldBy(fieldManager)]),
      "whole",
      "held",
    ],
    ["right as it is", setOf(both, "Delete/Delete"), "whole", "in-force"],
    ["a server without the field", setOf(both, undefined), "whole", "in-force"],
    ["unreadable: all is kept", setOf("Never", "Delete/Delete", [ours]), "whole", "Retain/Retain"],
    ["unreadable, and kept already", setOf("Never", "Retain/Retain"), "whole", "unreadable"],
    ["no policy, never had one", setOf(undefined, "Delete/Delete"), "whole", undefined],
    ["no policy any more", setOf(undefined, "Delete/Delete", [ours]), "whole", "given back"],
    [
      "being deleted",
      setOf(both, "Retain/Retain", [created], { deletionTimestamp: "2026-03-01T12:00:00Z" }),
      "whole",
      undefined,
    ],
  ])("%s", (_, set, extent, expected) => {
    expect(outcome(decide(set, extent))).toBe(expected);
  });

  test("is applied to the set that was read, together with what is written down", () => {
    const { metadata } = bodyOf(decide(setOf(both, "Retain/Retain"))) as Body;
    expect(metadata).toMatchObject({ uid: "u1", resourceVersion: "9" });
    expect(JSON.parse(metadata.annotations[key] ?? "")).toMatchObject({
      step: "in-force",
      policy: both,
      field: "Delete/Delete",
      attempt: 1,
    });
  });

  test("of a set with a rival keeps all, and both are named", () => {
    const decision = decide(setOf(both, "Delete/Delete", [ours]), "whole", [
      { ...setOf(undefined, "Retain/Retain"), metadata: { name: "b-web", uid: "u2", resourceVersion: "1" } },
    ]);
    expect(outcome(decision)).toBe("Retain/Retain");
    expect(decision?.notice).toMatchObject({ type: "Warning", reason: "ClaimNamesContested" });
    expect(decision?.notice?.note).toMatch(/web and b-web/);
  });

  test("held by others is told with their names", () => {
    const { notice } = decide(setOf("Retain", "Delete/Retain", [heldBy("argocd-controller")])) ?? {};
    expect(notice).toMatchObject({ type: "Warning", reason: "RetentionPolicyHeld" });
    expect(notice?.note).toContain("argocd-controller");
  });
});

/** The set after somebody has taken our value back. */
function takenBack(decision: Decision | undefined): StatefulSet {
  return setOf(both, "Retain/Retain", [heldBy("argocd-controller")], {
    annotations: bodyOf(decision)?.metadata.annotations ?? {},
  });
}

test("a value that is taken back again and again is applied three times, then left alone", () => {
  let set = setOf(both, "Retain/Retain");
  for (const _ of [1, 2, 3]) {
    const decision = decide(set);
    expect(outcome(decision)).toBe("Delete/Delete");
    set = takenBack(decision);
  }
  const last = decide(set);
  expect(outcome(last)).toBe("fought-over");
  expect(last?.notice).toMatchObject({ type: "Warning", reason: "RetentionPolicyTakenBack" });
});

test("with PROJECT=off, either half of the field that deletes what the policy keeps is told of", () => {
  const held = (policy: string, field: string) =>
    outcome(decide(setOf(policy, field, [heldBy("helm", "Apply")]), "off"));
  expect(held("DeleteOnStatefulSetDeletionOnly", "Delete/Delete")).toBe("held");
  expect(held("DeleteOnScaledownOnly", "Delete/Delete")).toBe("held");
  expect(held(both, "Delete/Delete")).toBe("in-force");
});

test("a value that is taken back hours later each time is applied each time", () => {
  let set = setOf(both, "Retain/Retain");
  for (const hours of [0, 2, 4, 6, 8, 10]) {
    const decision = decide(set, "whole", [], now + hours * 3_600_000);
    expect(outcome(decision)).toBe("Delete/Delete");
    set = takenBack(decision);
  }
});

test("a fault that is mended is not told any more", () => {
  const text = JSON.stringify({
    v: 1,
    uid: "u1",
    step: "unreadable",
    since: "2026-03-01T12:00:00Z",
    because: "x",
    policy: "Retain",
  });
  const decision = decide(setOf(both, "Retain/Retain", [created], { annotations: { [key]: text } }));
  expect(decision?.retract).toEqual(["PolicyUnreadable"]);
});

const field = fc.constantFrom("Retain/Retain", "Retain/Delete", "Delete/Retain", "Delete/Delete");
const managers = fc.subarray([
  created,
  ours,
  heldBy("helm", "Apply", { "f:whenDeleted": {} }),
  heldBy("edit", "Update", { "f:whenScaled": {} }),
]);

test("whatever is applied, no Delete that somebody else holds is touched, and what the policy keeps is not deleted", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...names, "Never"),
      field,
      managers,
      fc.constantFrom("whole", "scaled", "off"),
      (policy, field, managers, extent) => {
        const set = setOf(policy, field, managers);
        const body = bodyOf(decide(set, extent));
        if (!body) return;
        const wanted = body.spec?.persistentVolumeClaimRetentionPolicy ?? {
          whenDeleted: "Retain",
          whenScaled: "Retain",
        };
        const read = readPolicy(set, undefined);
        for (const leaf of ["whenDeleted", "whenScaled"] as const) {
          const others = managers.filter(
            (entry) =>
              entry !== ours && `f:${leaf}` in entry.fieldsV1["f:spec"]["f:persistentVolumeClaimRetentionPolicy"],
          );
          if (body.spec)
            expect(set.spec.persistentVolumeClaimRetentionPolicy?.[leaf] === "Delete" && others.length > 0).toBe(false);
          if (wanted[leaf] === "Delete") expect(read?.[leaf]).toBe("Delete");
        }
      },
    ),
  );
});

test("decided again right after, nothing is left to do", () => {
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.constantFrom("whole", "scaled"), (policy, extent) => {
      const body = bodyOf(decide(setOf(policy, "Retain/Retain"), extent));
      if (!body?.spec) return;
      const { whenDeleted, whenScaled } = body.spec.persistentVolumeClaimRetentionPolicy;
      const after = setOf(policy, `${whenDeleted}/${whenScaled}`, [ours], { annotations: body.metadata.annotations });
      expect(decide(after, extent, [], now + 5000)).toBeUndefined();
    }),
  );
});

describe("subjects", () => {
  const hint = (kind: string, change: Hint["change"], object?: KubernetesObject): Hint => ({
    id: "e",
    change,
    apiVersion: kind === "Namespace" ? "v1" : "apps/v1",
    kind,
    ...(kind === "Namespace" ? {} : { namespace: "shop" }),
    name: kind === "Namespace" ? "shop" : "web",
    object,
  });
  const subjects = (hint: Hint) =>
    project
      .subjects(hint, readSettings(project.settings, {}))
      .map(({ namespace, name, members }) => ({ namespace, name, members }));
  test.each<[string, Hint, object[]]>([
    ["a namespace: all its sets", hint("Namespace", "update"), [{ namespace: "shop" }]],
    [
      "a new set: it, and those that may be its rivals",
      hint("StatefulSet", "add", setOf(undefined, undefined)),
      [{ namespace: "shop", members: ["web"] }],
    ],
    ["a set without traces", hint("StatefulSet", "update", setOf(undefined, undefined)), []],
    [
      "a set with a policy",
      hint("StatefulSet", "update", setOf("Retain", undefined)),
      [{ namespace: "shop", name: "web" }],
    ],
    ["a set that the sweep found", hint("StatefulSet", "sweep"), [{ namespace: "shop", name: "web" }]],
    ["a set that is gone", hint("StatefulSet", "delete", setOf("Retain", undefined)), []],
    [
      "a set being deleted",
      hint("StatefulSet", "update", setOf("Retain", undefined, [], { deletionTimestamp: "x" })),
      [],
    ],
    ["a pod", hint("Pod", "delete"), []],
  ])("%s", (_, hint, expected) => {
    expect(subjects(hint)).toEqual(expected);
  });
});
