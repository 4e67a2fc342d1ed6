import { describe, expect, test } from "vitest";
import { settleName } from "../lib/follow.ts";
import { hint, inputOf, jid, now, otherUid, persistentVolume, progress, volume, written } from "../testing/objects.ts";
import { type Facts, prepare } from "./rule.ts";

const settings = { saltenv: "" };
const facts = (given = volume(), more: object = {}): Facts => ({
  volume: given,
  persistentVolume: undefined,
  job: { ...inputOf(given), ...more },
});
const decide = (facts: Facts, at = now) => prepare.decide(facts, at, settings)[0];

test("a Volume's job is on the Volume, guarded, before it is posted", () => {
  const decision = decide(facts());
  if (decision?.do !== "call") throw new Error("A call was expected.");
  const { jid } = decision.command.input as { jid: string };
  expect(decision.writes).toMatchObject([
    {
      patch: {
        metadata: { uid: volume().metadata.uid, resourceVersion: "9" },
        status: { job: `PrepareVolume/${jid}`, phase: "Pending" },
      },
      options: { subresource: "status" },
    },
  ]);
  expect(decision).toMatchObject({
    step: { name: "posted", attempt: 1, details: { jid, posted: now } },
    next: now + 30_000,
    command: { input: { minion: "n0", fun: "state.sls", kwarg: { mods: "metalk8s.volumes" } } },
  });
});

test.each<[string, Facts, string, string]>([
  ["a node that works for another", facts(undefined, { busy: "other" }), "queued", "Node n0 works for Volume other"],
  ["a class that is missing", facts(undefined, { storageClass: undefined }), "class-missing", "create it"],
  ["a node that is missing", facts(undefined, { node: undefined }), "node-missing", "add it to the cluster"],
  [
    "a PersistentVolume of an earlier Volume that is going",
    {
      ...facts(),
      persistentVolume: persistentVolume({ owner: otherUid, path: `/dev/disk/by-uuid/${otherUid}`, deleting: true }),
    } as Facts,
    "name-taken",
    "it is being deleted",
  ],
])("%s is waited for, and the Volume says so", (_, given, step, sentence) => {
  const decision = decide(given);
  expect(decision).toMatchObject({ do: "write", step: { name: step }, next: now + 30_000 });
  expect(decision?.because).toContain(sentence);
  expect(written(decision)).toContain('"phase":"Pending"');
});

test("waiting for the same is not written again before its time", () => {
  const given = volume({
    phase: "Pending",
    annotations: progress(prepare.name, "queued", { next: new Date(now + 9000).toISOString() }),
  });
  expect(decide(facts(given, { busy: "other" }))).toMatchObject({ next: now + 9000 });
});

test("a PersistentVolume of another's that stays fails the Volume, and nothing is posted", () => {
  const other = persistentVolume({ owner: otherUid, path: `/dev/disk/by-uuid/${otherUid}` });
  const decision = decide({ ...facts(), persistentVolume: other } as Facts);
  expect(decision).toMatchObject({ do: "write", event: { reason: "PersistentVolumeTaken" } });
  expect(written(decision)).toContain('"reason":"CreationError"');
});

describe("what it wrote down about the job that it has begun", () => {
  const begun = (annotations: Record<string, string>, job = `PrepareVolume/${jid}`) =>
    decide({ volume: volume({ phase: "Pending", job, annotations }), persistentVolume: undefined });
  const next = new Date(now + 9000).toISOString();
  const mine = progress(prepare.name, "posted", { jid, next });

  test("stays until settle has a note of its own, so that the sweep looks after it", () => {
    expect(begun(mine)).toMatchObject({ do: "wait" });
    expect(begun(mine)).not.toHaveProperty("step");
    expect(begun({ ...mine, ...progress(settleName, "running", { jid, next }) })).toMatchObject({ do: "leave" });
  });

  test("goes when it is about another job", () => {
    expect(begun(mine, "PrepareVolume/DONE")).toMatchObject({ do: "leave" });
  });
});

test.each<[string, ReturnType<typeof hint>, number]>([
  ["a Volume that waits for its storage", hint("update", volume()), 1],
  [
    "a Volume in whose place there is something to clear",
    hint("update", volume({ phase: "Available", annotations: progress(prepare.name, "posted") })),
    1,
  ],
  ["a PersistentVolume that is gone", hint("delete", persistentVolume()), 1],
  ["an available Volume", hint("update", volume({ phase: "Available", job: "" })), 0],
  ["a Volume without the finalizer", hint("add", volume({ finalizers: [] })), 0],
  ["a Volume whose job runs", hint("update", volume({ phase: "Pending", job: `PrepareVolume/${jid}` })), 0],
  ["a failed Volume", hint("update", volume({ phase: "Failed", reason: "CreationError" })), 0],
  ["a Volume that is being deleted", hint("update", volume({ deleting: true })), 0],
])("%s", (_, event, expected) => {
  expect(prepare.subjects(event, settings)).toHaveLength(expected);
});
