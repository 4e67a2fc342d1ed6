import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { progressKey } from "../progress.ts";
import { notedPolicy } from "./noted-policy.ts";
import { graceKey, policyKey, readPolicy } from "./policy.ts";
import { describePolicy, projected, projectingRule } from "./projected.ts";
import { notedOn, setOf } from "./testing/objects.ts";

const onScale = "DeleteOnScaledownOnly";
const onDelete = "DeleteOnStatefulSetDeletionOnly";

/** A set with what project has noted on it. */
function noted(
  { policy, delay, ...own }: { policy?: string; delay?: string; uid?: string },
  details: Record<string, unknown>,
  step: string = projected.inForce,
) {
  const set = notedOn(setOf({ ...(policy && { policy }), ...(delay && { delay }) }), details, step);
  return { ...set, metadata: { ...set.metadata, ...own } };
}

describe("the policy that is noted on a set", () => {
  test.each<[string, KubernetesObject, string | undefined]>([
    ["is its own", noted({ policy: onScale }, { policy: onScale }), onScale],
    [
      "is its own with its delay",
      noted({ policy: onScale, delay: "1h" }, { policy: onScale, grace: "3600s" }),
      onScale,
    ],
    [
      "is its own where another set contests it",
      noted({ policy: onScale }, { policy: onScale }, projected.contested),
      onScale,
    ],
    ["is not known where it may be its namespace's", noted({}, { policy: onScale }), undefined],
    ["nor where the delay may be", noted({ policy: onScale }, { policy: onScale, grace: "3600s" }), undefined],
    ["nor where it has changed since", noted({ policy: "Retain" }, { policy: onScale }), undefined],
    [
      "nor where the delay has",
      noted({ policy: onScale, delay: "2h" }, { policy: onScale, grace: "3600s" }),
      undefined,
    ],
    ["nor where the delay is new", noted({ policy: onScale, delay: "2h" }, { policy: onScale }), undefined],
    ["nor where nobody knows it", noted({ policy: "Delete" }, { policy: "Retain" }, projected.unreadable), undefined],
    [
      "nor where the namespace's delay was unreadable",
      noted({ policy: "Retain" }, { policy: "Retain" }, projected.unreadable),
      undefined,
    ],
    ["nor where nothing is noted yet", setOf({ policy: onScale }), undefined],
    [
      "nor where it was noted on another set",
      noted({ policy: onScale, uid: "another" }, { policy: onScale }),
      undefined,
    ],
    ["nor where a newer version has noted it", newer(noted({ policy: onScale }, { policy: onScale })), undefined],
  ])("%s", (_, set, name) => {
    expect(notedPolicy(set)?.name).toBe(name);
  });
});

test("where it is known, it is what a look at the set and its namespace finds", () => {
  const policy = fc.option(fc.constantFrom("Retain", onScale, onDelete, "Nothing"), { nil: undefined });
  const delay = fc.option(fc.constantFrom("1h", "60m", "2h", "soon"), { nil: undefined });
  const annotations = fc.record({ [policyKey]: policy, [graceKey]: delay }).map(given);
  let known = 0;
  fc.assert(
    fc.property(annotations, annotations, annotations, (before, after, home) => {
      const namespace = { ...setOf(), metadata: { name: "shop", annotations: home } } as unknown as KubernetesObject;
      const inForce = readPolicy(setOf({ annotations: before }), namespace);
      const step = !inForce
        ? projected.givenBack
        : inForce.faults.length > 0
          ? projected.unreadable
          : projected.inForce;
      const { metadata } = noted({}, inForce ? describePolicy(inForce) : {}, step);
      const set = setOf({ annotations: { ...metadata.annotations, ...after } });
      const found = notedPolicy(set);
      if (!found) return;
      known++;
      expect(found).toEqual(readPolicy(set, namespace));
    }),
    { numRuns: 4000 },
  );
  expect(known).toBeGreaterThan(100);
});

function newer(set: KubernetesObject): KubernetesObject {
  const key = progressKey(projectingRule);
  const { annotations = {} } = set.metadata;
  const note = annotations[key]?.replace('"v":1', '"v":2') ?? "";
  return { ...set, metadata: { ...set.metadata, annotations: { ...annotations, [key]: note } } };
}

const given = (annotations: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(annotations).filter(([, value]) => value !== undefined)) as Record<string, string>;
