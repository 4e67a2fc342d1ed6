import { describe, expect, test } from "vitest";
import { ConfigMap } from "../kubernetes/kind.ts";
import {
  mayTakeEffectUntil,
  noteCall,
  pendingCall,
  readCall,
  takesEffectWithinMs,
  wasJustCalled,
} from "./call-in-flight.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const key = "holdfast.dev/call";
const aThing = (note?: object | string) => {
  const text = typeof note === "object" ? JSON.stringify({ v: 1, uid: "u1", ...note }) : note;
  const annotations = text === undefined ? {} : { [key]: text };
  return { ...ConfigMap, metadata: { name: "a", namespace: "n", uid: "u1", resourceVersion: "1", annotations } };
};
const calledAt = (ago: number, more: object = {}) => aThing({ called: new Date(now - ago).toISOString(), ...more });
const valuesOf = (write: unknown) =>
  (write as { patch: { path: string; value?: string }[] }).patch
    .filter(({ path }) => path === "/metadata/annotations/holdfast.dev~1call")
    .map(({ value }) => value);

describe("a call may still take effect", () => {
  test.each<[string, ReturnType<typeof aThing>, boolean]>([
    ["that was just made", calledAt(0), true],
    ["of nearly ten minutes ago", calledAt(takesEffectWithinMs - 1), true],
    ["of ten minutes ago", calledAt(takesEffectWithinMs), false],
    ["of a clock that was a little ahead", calledAt(-60_000), true],
    ["that was answered", calledAt(0, { answered: true }), false],
    ["that was refused", calledAt(0, { refused: true }), false],
    ["that was answered, after one that was not", calledAt(0, { calls: 2, answered: true }), true],
    ["that was refused, after one that was not", calledAt(0, { calls: 2, refused: true }), true],
    ["that there was not", aThing(), false],
    ["of another object", aThing({ uid: "u2", called: new Date(now).toISOString() }), false],
    ["that cannot be read", aThing("?"), false],
  ])("%s: %s", (_, thing, expected) => {
    const called = Date.parse(readCall(thing, key)?.called ?? "");
    const until = mayTakeEffectUntil(readCall(thing, key), now);
    expect(until).toBe(expected ? called + takesEffectWithinMs : undefined);
  });
});

test.each([
  [0, true],
  [9_999, true],
  [10_000, false],
  [-1, false],
])("a call of %i ms ago was just made, with a pause of 10 s: %s", (ago, expected) =>
  expect(wasJustCalled(readCall(calledAt(ago, { answered: true }), key), now, 10_000)).toBe(expected),
);

describe("a call whose time is ten minutes ahead", () => {
  const ahead = calledAt(-takesEffectWithinMs, { calls: 2, proven: true });

  const pending = (thing: typeof ahead) =>
    pendingCall(ConfigMap, thing, key, now, (until) => `It waits until ${until}.`);

  test("is waited for from now on, and written down as made now", () => {
    const note = { v: 1, uid: "u1", called: new Date(now).toISOString(), calls: 2, proven: true };
    expect(pending(ahead)?.message).toBe("It waits until 2026-01-01T00:10:00.000Z.");
    expect(pending(ahead)?.writes.flatMap(valuesOf)).toEqual([ahead.metadata.annotations[key], JSON.stringify(note)]);
  });

  test("is counted where another call is made", () => {
    const { annotations } = noteCall(ConfigMap, ahead, key, now);
    expect(JSON.parse(annotations[key] ?? "")).toMatchObject({ calls: 3 });
  });

  test.each([
    ["that was answered", calledAt(-takesEffectWithinMs, { answered: true }), undefined],
    ["of a clock that was a little ahead", calledAt(1 - takesEffectWithinMs), []],
    ["that there was not", aThing(), undefined],
  ])("one %s is left as it is", (_, thing, writes) => expect(pending(thing)?.writes).toEqual(writes));
});

describe("the note of a call", () => {
  test.each<[string, ReturnType<typeof aThing>, number]>([
    ["is the first", aThing(), 1],
    ["follows one that is not settled", calledAt(60_000), 2],
    ["follows two that are not settled", calledAt(60_000, { calls: 2 }), 3],
    ["follows one that was answered", calledAt(60_000, { answered: true }), 1],
    ["follows one that was refused, and one that is not settled", calledAt(60_000, { calls: 2, refused: true }), 2],
    ["follows one of long ago", calledAt(takesEffectWithinMs, { calls: 2 }), 1],
  ])("that %s counts those that may be under way", (_, thing, calls) => {
    const { annotations } = noteCall(ConfigMap, thing, key, now, { proven: true });
    const note = { v: 1, uid: "u1", called: new Date(now).toISOString(), calls, proven: true };
    expect(JSON.parse(annotations[key] ?? "")).toEqual(note);
  });

  test("is settled or taken back where it still stands", () => {
    const thing = calledAt(60_000);
    const { annotations, settled, unsent } = noteCall(ConfigMap, thing, key, now);
    const text = annotations[key] ?? "";
    expect(valuesOf(settled("answered"))).toEqual([text, JSON.stringify({ ...JSON.parse(text), answered: true })]);
    expect(valuesOf(unsent())).toEqual([text, thing.metadata.annotations[key]]);
    expect(valuesOf(unsent("other"))).toEqual([text, "other"]);
    expect(valuesOf(noteCall(ConfigMap, aThing(), key, now).unsent())).toEqual([
      JSON.stringify({ ...JSON.parse(text), calls: 1 }),
      undefined,
    ]);
  });
});
