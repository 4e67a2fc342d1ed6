import { describe, expect, it } from "vitest";
import type { PodObject } from "../objects/pod.ts";
import { endOf, exitCodeOf, stopOf } from "./lifetime.ts";

const pod = (annotations: { [key: string]: string }, metadata: object = {}, restartPolicy = "Never") =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    spec: { restartPolicy },
    metadata: {
      ...metadata,
      annotations: Object.fromEntries(
        Object.entries(annotations).map(([key, value]) => [`laptop.holdfast.dev/${key}`, value]),
      ),
    },
  }) as unknown as PodObject;

describe("the lifetime of a pod", () => {
  it("has no end unless an annotation says so", () => {
    expect(endOf(pod({}), 1000)).toBeUndefined();
    expect(endOf(pod({ "run-for": "soon" }), 1000)).toBeUndefined();
    expect(endOf(pod({ "run-for": "1m5s" }), 1000)).toBe(66_000);
    // No container is started again here, so that one that would be does not end.
    expect(endOf(pod({ "run-for": "1m5s" }, {}, "OnFailure"), 1000)).toBeUndefined();
  });

  it("ends well unless an annotation says otherwise", () => {
    expect(exitCodeOf(pod({}))).toBe(0);
    expect(exitCodeOf(pod({ "exit-code": "3" }))).toBe(3);
    expect(exitCodeOf(pod({ "exit-code": "x" }))).toBe(0);
  });

  it.each([
    { stopAfter: undefined, grace: 30, after: 0, killed: false },
    { stopAfter: "10s", grace: 30, after: 10_000, killed: false },
    { stopAfter: "30s", grace: 30, after: 30_000, killed: false },
    { stopAfter: "1h", grace: 30, after: 30_000, killed: true },
    { stopAfter: "10s", grace: 0, after: 0, killed: true },
  ])("stops within its grace period: $stopAfter of $grace s", ({ stopAfter, grace, after, killed }) => {
    const asked = Date.parse("2026-01-01T00:00:00Z");
    const deletionTimestamp = new Date(asked + grace * 1000).toISOString();
    const deleting = { deletionTimestamp, deletionGracePeriodSeconds: grace };
    expect(stopOf(pod(stopAfter ? { "stop-after": stopAfter } : {}, deleting))).toEqual({
      asked,
      at: asked + after,
      killed,
    });
  });
});
