import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../kubernetes/object.ts";
import { notedPolicy } from "./noted-policy.ts";
import { graceKey, policyKey, readPolicy } from "./policy.ts";
import { projected } from "./projected.ts";
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
    ["its own", noted({ policy: onScale }, { policy: onScale }), onScale],
    ["its namespace's", noted({}, { policy: onScale }), onScale],
    ["one that another set contests", noted({ policy: onScale }, { policy: onScale }, projected.contested), onScale],
    ["not one that has changed since", noted({ policy: "Retain" }, { policy: onScale }), undefined],
    ["not one that nobody knows", noted({ policy: "Delete" }, { policy: "Retain" }, projected.unreadable), undefined],
    ["not one that was given back", noted({}, {}, projected.givenBack), undefined],
    ["not where nothing is noted yet", setOf({ policy: onScale }), undefined],
    ["not what was noted on another set", noted({ policy: onScale, uid: "another" }, { policy: onScale }), undefined],
    ["not what somebody has made of it", noted({}, { policy: "Nothing" }), undefined],
    ["not what somebody has made of its delay", noted({}, { policy: onScale, grace: "soon" }), undefined],
    ["not with another delay", noted({ policy: onScale, delay: "2h" }, { policy: onScale, grace: "3600s" }), undefined],
    ["not with a delay that is new", noted({ policy: onScale, delay: "2h" }, { policy: onScale }), undefined],
    ["with its delay, however written", noted({ delay: "1h" }, { policy: onScale, grace: "3600s" }), onScale],
  ])("%s", (_, set, name) => {
    expect(notedPolicy(set)?.name).toBe(name);
  });

  test("has the delay of the namespace, which only the note knows", () => {
    expect(notedPolicy(noted({ policy: onScale }, { policy: onScale, grace: "3600s" }))?.grace).toBe(3_600_000);
  });
});

test("what is noted of a set and its namespace as they are is their policy, and what is noted of others is not taken for it", () => {
  const policy = fc.option(fc.constantFrom("Retain", onScale, onDelete, "Nothing"), { nil: undefined });
  const delay = fc.option(fc.constantFrom("1h", "60m", "2h", "soon"), { nil: undefined });
  const annotations = fc.record({ [policyKey]: policy, [graceKey]: delay }).map(given);
  let known = 0;
  fc.assert(
    fc.property(annotations, annotations, annotations, (before, after, home) => {
      const namespace = { ...setOf(), metadata: { name: "shop", annotations: home } } as unknown as KubernetesObject;
      const inForce = readPolicy(setOf({ annotations: before }), namespace);
      const details = inForce && {
        policy: inForce.name,
        ...(inForce.grace > 0 && { grace: `${inForce.grace / 1000}s` }),
      };
      const step = !inForce
        ? projected.givenBack
        : inForce.faults.length > 0
          ? projected.unreadable
          : projected.inForce;
      const { metadata } = noted({}, details ?? {}, step);
      const set = setOf({ annotations: { ...metadata.annotations, ...after } });
      const found = notedPolicy(set);
      if (!found) return;
      known++;
      const now = readPolicy(set, namespace);
      // A policy or a delay that was taken off is noted a moment later: with either, nothing has been put in its place.
      const isTakenOff = [policyKey, graceKey].some((key) => before[key] !== undefined && after[key] === undefined);
      if (!isTakenOff && now?.faults.length === 0) expect(found).toEqual(now);
      else if (!isTakenOff) expect(found.name).toBe("Retain");
    }),
    { numRuns: 2000 },
  );
  expect(known).toBeGreaterThan(100);
});

const given = (annotations: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(annotations).filter(([, value]) => value !== undefined)) as Record<string, string>;
