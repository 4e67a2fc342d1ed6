import fc from "fast-check";
import { expect, test } from "vitest";
import type { KubernetesObject } from "./kubernetes/object.ts";
import { longestProgress, nextProgress, progressKey, readProgress } from "./progress.ts";

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

test("the annotation's key has the rule's name in one segment", () => {
  expect(key).toBe("holdfast.dev/pvc-protection.release");
});

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

test("another reason within the same step keeps the time since when, another step does not", () => {
  const text = nextProgress(claim(), rule, held, "It is held.", now);
  const later = now + 60_000;
  expect(JSON.parse(nextProgress(claim(text), rule, held, "By another pod.", later) ?? "").since).toBe(
    "2026-03-01T12:00:00.000Z",
  );
  expect(JSON.parse(nextProgress(claim(text), rule, { name: "stuck" }, "It is stuck.", later) ?? "").since).toBe(
    "2026-03-01T12:01:00.000Z",
  );
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
])("an annotation that is %s counts as no progress", (_, text) => {
  expect(readProgress(claim(text), rule)).toBeUndefined();
});

test("the next version is read, so that a function can be rolled back in the middle of its work", () => {
  const text = '{"v":2,"uid":"u1","step":"held","since":"2026-03-01T12:00:00Z","because":"x","new":{"field":1}}';
  expect(readProgress(claim(text), rule)).toMatchObject({ v: 2, step: "held" });
});

test("whatever the step, the annotation is at most a thousand characters and can be read back", () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 3000, unit: "binary" }),
      fc.array(fc.string({ maxLength: 300 })),
      (because, pods) => {
        const text = nextProgress(claim(), rule, { name: "held", details: { pods } }, because, now) ?? "";
        expect(text.length).toBeLessThanOrEqual(longestProgress);
        expect(readProgress(claim(text), rule)?.step).toBe("held");
      },
    ),
  );
});
