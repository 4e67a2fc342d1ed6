import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { dueTime, needsLook } from "./needs-look.ts";
import type { Row } from "./table.ts";

const now = Date.parse("2026-03-01T12:00:00Z");
const minute = 60_000;
const span = { after: now - minute, until: now, due: now };
const ours = "holdfast.dev/pvc-protection";
const row = (more: Partial<Row> = {}): Row => ({
  rule: "pvc-protection/release",
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  resource: "persistentvolumeclaims",
  namespaced: true,
  // So long a period that no resync comes by chance.
  every: 365 * 24 * 3_600_000,
  excludedNamespaces: [],
  sink: "http://broker.example/",
  ...more,
});
const object = (metadata: object = {}): KubernetesObject => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data", namespace: "shop", uid: "u1", resourceVersion: "1", ...metadata },
});
const waiting = (progress: object | string) => ({
  labels: { "holdfast.dev/waiting": "true" },
  annotations: {
    "holdfast.dev/pvc-protection.release": typeof progress === "string" ? progress : JSON.stringify(progress),
  },
});
const deleting = { deletionTimestamp: "2026-03-01T11:00:00Z" };

describe("an object needs a look", () => {
  const needs = (metadata: object, more: Partial<Row>, expected: string | undefined) =>
    expect(needsLook(object(metadata), row(more), span)).toBe(expected);
  test("when its time has come", () => needs(waiting({ uid: "u1", next: "2026-03-01T12:00:00Z" }), {}, "due"));
  test("not before its time", () => needs(waiting({ uid: "u1", next: "2026-03-01T12:00:01Z" }), {}, undefined));
  test("at once when its time cannot be read", () => needs(waiting({ uid: "u1", next: "soon" }), {}, "due"));
  test("at once when its progress is damaged", () => needs(waiting('{"uid":"u1",'), {}, "due"));
  test("not for a time copied from another object", () =>
    needs(waiting({ uid: "u2", next: "2026-03-01T12:00:00Z" }), {}, undefined));
  test("not for a time without the label", () =>
    needs({ annotations: waiting({ uid: "u1", next: "2026-03-01T12:00:00Z" }).annotations }, {}, undefined));
  test("when it is being deleted with the finalizer", () =>
    needs({ ...deleting, finalizers: [ours] }, { when: { deletingWith: ours } }, "deleting"));
  test("not when it is being deleted without it", () =>
    needs({ ...deleting, finalizers: ["a.example/x"] }, { when: { deletingWith: ours } }, undefined));
  test("not when it lives with it", () => needs({ finalizers: [ours] }, { when: { deletingWith: ours } }, undefined));
  test("when it lives without the finalizer", () => needs({}, { when: { aliveWithout: ours } }, "missing"));
  test("not when it is being deleted without the finalizer", () =>
    needs(deleting, { when: { aliveWithout: ours } }, undefined));
  test("not in an excluded namespace", () =>
    needs({}, { when: { aliveWithout: ours }, excludedNamespaces: ["shop"] }, undefined));
});

test("the earliest of several rules' times counts", () => {
  const annotations = {
    "holdfast.dev/a": '{"uid":"u1","next":"2026-03-01T13:00:00Z"}',
    "holdfast.dev/b": '{"uid":"u1","next":"2026-03-01T12:30:00Z"}',
    "holdfast.dev/note": "not progress",
  };
  expect(dueTime(object({ labels: { "holdfast.dev/waiting": "true" }, annotations }))).toBe(
    Date.parse("2026-03-01T12:30:00Z"),
  );
});

describe("the resync", () => {
  const hour = 60 * minute;
  const resynced = (every: number, after: number, until: number) =>
    needsLook(object(), row({ every }), { after, until, due: until }) === "resync";

  test("comes exactly once in each period, in one tick, with any schedule of the ticks", () => {
    for (const period of [minute, 5 * minute, 7 * minute]) {
      const ticks = Array.from({ length: (7 * 24 * hour) / period }, (_, tick) => now + tick * period);
      for (const every of [hour, 6 * hour])
        expect(ticks.filter((at) => resynced(every, at, at + period))).toHaveLength((7 * 24 * hour) / every);
    }
  });

  test("comes for rows with different periods in the same tick, where one is a multiple of the other", () => {
    const ticks = Array.from({ length: 24 * 12 }, (_, tick) => now + tick * 5 * minute);
    for (const at of ticks.filter((at) => resynced(6 * hour, at, at + 5 * minute)))
      expect(resynced(hour, at, at + 5 * minute)).toBe(true);
  });

  test("comes after a gap of a period or more", () => {
    for (let shift = 0; shift < 60; shift++)
      expect(resynced(hour, now + shift * minute - hour, now + shift * minute)).toBe(true);
  });

  test("comes with the first tick of all, which stands for all the time before it", () =>
    expect(resynced(365 * 24 * hour, 0, now)).toBe(true));
});
