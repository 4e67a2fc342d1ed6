import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "./kubernetes/object.ts";
import { labelFor, longestProgress, nextProgress, progressKey, readProgress } from "./progress.ts";

const rule = "pvc-protection/release";
const key = progressKey(rule);
const claim = (annotation?: string, uid = "u1"): KubernetesObject => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: {
    name: "data",
    uid,
    resourceVersion: "1",
    ...(annotation === undefined ? {} : { annotations: { [key]: annotation } }),
  },
});
const now = Date.parse("2026-03-01T12:00:00Z");
const held = { name: "held", details: { pods: [{ pod: "web-0", node: "n0" }] } };

test("the annotation's key has the rule's name in one segment", () =>
  expect(key).toBe("holdfast.dev/pvc-protection.release"));

test("what is written is read back", () => {
  const text = nextProgress(claim(), rule, held, "It is held.", now, now + 10_000);
  expect(readProgress(claim(text), rule)).toEqual({
    v: 1,
    uid: "u1",
    step: "held",
    since: "2026-03-01T12:00:00.000Z",
    next: "2026-03-01T12:00:10.000Z",
    because: "It is held.",
    pods: [{ pod: "web-0", node: "n0" }],
  });
});

test("the same progress a minute later is not written again", () => {
  const text = nextProgress(claim(), rule, held, "It is held.", now);
  expect(nextProgress(claim(text), rule, held, "It is held.", now + 60_000)).toBeUndefined();
});

test("other details of the same step keep the time since when, another step does not", () => {
  const text = nextProgress(claim(), rule, held, "It is held.", now);
  const later = now + 60_000;
  const since = (step: { name: string }) => JSON.parse(nextProgress(claim(text), rule, step, "x", later) ?? "").since;
  expect(since({ name: "held" })).toBe("2026-03-01T12:00:00.000Z");
  expect(since({ name: "stuck" })).toBe("2026-03-01T12:01:00.000Z");
});

test("another wording alone is not written: two versions side by side would correct each other for ever", () => {
  const text = nextProgress(claim(), rule, held, "It is held.", now);
  expect(nextProgress(claim(text), rule, held, "A pod holds it.", now)).toBeUndefined();
});

test("another order of the details is not written, on any level", () => {
  const details = { claim: { namespace: "shop", name: "data" }, right: 1 };
  const text = nextProgress(claim(), rule, { name: "held", details }, "It is held.", now);
  const reordered = { right: 1, claim: { name: "data", namespace: "shop" } };
  expect(nextProgress(claim(text), rule, { name: "held", details: reordered }, "It is held.", now)).toBeUndefined();
});

describe("what the next version has written", () => {
  const theirs = (change: object = {}) =>
    JSON.stringify({
      v: 2,
      plan: "b",
      uid: "u1",
      step: "held",
      since: "2026-03-01T12:00:00.000Z",
      because: "x",
      ...held.details,
      ...change,
    });
  test.each<[string, object, number | undefined, boolean]>([
    ["stays while nothing that this version knows has changed", {}, undefined, false],
    ["is written over by another step", { step: "stuck" }, undefined, true],
    ["is written over by other details", { pods: [] }, undefined, true],
    ["is written over when there is a due time now", {}, now, true],
    ["is written over when there is no due time any more", { next: "2026-03-01T12:00:00.000Z" }, undefined, true],
    ["is written over when no rule tries any more", { attempt: 2 }, undefined, true],
  ])("%s", (_, change, next, written) => {
    const text = nextProgress(claim(theirs(change)), rule, held, "It is held.", now + 60_000, next);
    expect(text !== undefined).toBe(written);
  });
});

test("of what is too long the sentence is cut, and the details stay", () => {
  const text = nextProgress(claim(), rule, held, "word ".repeat(400), now) ?? "";
  expect(text.length).toBeLessThanOrEqual(longestProgress);
  expect(JSON.parse(text)).toMatchObject({ pods: held.details.pods, because: expect.stringMatching(/^word .*…$/) });
});

describe("the waiting label", () => {
  const other = {
    "holdfast.dev/other.rule": '{"v":1,"uid":"u1","step":"x","next":"2026-03-01T13:00:00Z","because":"x"}',
  };
  const object = (label: boolean, annotations = {}): KubernetesObject => {
    const metadata = { name: "data", uid: "u1", resourceVersion: "1", annotations };
    return { ...claim(), metadata: label ? { ...metadata, labels: { "holdfast.dev/waiting": "true" } } : metadata };
  };
  test.each<[string, KubernetesObject, number | undefined, object | undefined]>([
    ["comes with a due time", object(false), now, { "holdfast.dev/waiting": "true" }],
    ["goes with the last due time", object(true), undefined, { "holdfast.dev/waiting": null }],
    ["stays as long as another rule has a due time", object(true, other), undefined, undefined],
    [
      "comes back when another client has removed it",
      object(false, other),
      undefined,
      { "holdfast.dev/waiting": "true" },
    ],
    ["is left alone when it is right", object(true), now, undefined],
    ["is not put on an object that no rule waits for", object(false), undefined, undefined],
  ])("%s", (_, object, next, expected) => expect(labelFor(object, rule, next)).toEqual(expected));
});

test("progress written for another incarnation is none", () => {
  const text = nextProgress(claim(), rule, held, "It is held.", now);
  expect(readProgress(claim(text, "u2"), rule)).toBeUndefined();
});

test.each([
  ["no JSON", "held since yesterday"],
  ["another shape", '{"v":1,"uid":"u1"}'],
  ["a list", "[]"],
  ["a version after the next", '{"v":3,"uid":"u1","step":"held","since":"2026-03-01T12:00:00Z","because":"x"}'],
  [
    "far too long",
    JSON.stringify({ v: 1, uid: "u1", step: "held", since: "2026-03-01T12:00:00Z", because: "x".repeat(5000) }),
  ],
])("an annotation that is %s counts as no progress", (_, text) =>
  expect(readProgress(claim(text), rule)).toBeUndefined(),
);

test("the next version is read, so that a function can be rolled back in the middle of its work", () => {
  const text = '{"v":2,"uid":"u1","step":"held","since":"2026-03-01T12:00:00Z","because":"x","new":{"field":1}}';
  expect(readProgress(claim(text), rule)).toMatchObject({ v: 2, step: "held" });
});

test("with any step, the annotation is at most a thousand characters and can be read back", () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 3000, unit: "binary" }),
      fc.array(fc.string({ maxLength: 300 })),
      (message, pods) => {
        const text = nextProgress(claim(), rule, { name: "held", details: { pods } }, message, now) ?? "";
        expect(text.length).toBeLessThanOrEqual(longestProgress);
        expect(readProgress(claim(text), rule)?.step).toBe("held");
      },
    ),
  );
});
