import { describe, expect, test } from "vitest";
import type { SeenJob } from "../lib/pursue.ts";
import { abandonStorage } from "../lib/vanished-node.ts";
import {
  hint,
  inputOf,
  jid,
  now,
  type PersistentVolumeOptions,
  persistentVolume,
  progress,
  type VolumeOptions,
  volume,
  written,
} from "../testing/objects.ts";
import { settle } from "./rule.ts";

const settings = { saltenv: "" };
const preparing: VolumeOptions = { phase: "Pending", job: `PrepareVolume/${jid}` };
const takingBack: VolumeOptions = { phase: "Terminating", job: `UnprepareVolume/${jid}`, deleting: true };
const ended = (outcome: object): SeenJob => ({ record: { state: "ended", outcome: outcome as never } });
const success = ended({ end: "success", value: {}, states: [] });
const failure = ended({ end: "failure", because: "device is busy" });
const lost: SeenJob = { record: { state: "pending" }, whereabouts: "absent" };
const unknown: SeenJob = { record: { state: "unknown" } };
const conflict = ended({ end: "conflict", because: "PID 7 is running." });
const note = (step: string, more: object = {}) => progress(settle.name, step, { jid, ...more });
const lostTwice = note("posted", { posted: now - 11_000, reposted: true });
const bound: PersistentVolumeOptions = { phase: "Bound", deleting: true };

function decide(options: VolumeOptions, seen: SeenJob | undefined, pv?: PersistentVolumeOptions, node = true) {
  const given = volume(options);
  const input = inputOf(given, node ? {} : { node: undefined });
  const facts = { volume: given, persistentVolume: pv && persistentVolume(pv), input, ...(seen ? { seen } : {}) };
  return settle.decide(facts, now, settings)[0];
}

describe("a job that ends", () => {
  test("well is done", () => {
    expect(written(decide(preparing, success))).toContain('"job":"PrepareVolume/DONE"');
    expect(written(decide(takingBack, success))).toContain('"job":"UnprepareVolume/DONE"');
  });

  test("badly fails a creation for good, with the node's own words", () => {
    const decision = decide(preparing, failure);
    expect(decision).toMatchObject({ do: "write", event: { reason: "StorageNotPrepared" } });
    expect(decision).not.toHaveProperty("step");
    expect(written(decision)).toContain("Salt job 'PrepareVolume' failed with: device is busy");
    expect(written(decision)).toContain('"reason":"CreationError"');
  });

  test.each([
    [1, 60_000],
    [2, 120_000],
    [5, 960_000],
    [7, 3_600_000],
    [99, 3_600_000],
  ])("badly the %i. time leaves storage that was not taken back alone for %i ms", (attempt, pause) => {
    const decision = decide({ ...takingBack, annotations: note("running", { attempt }) }, failure);
    expect(decision).toMatchObject({ do: "write", step: { name: "not-reclaimed", attempt }, next: now + pause });
    expect(written(decision)).toContain('"reason":"DestructionError"');
  });

  test("well without having done anything has failed", () => {
    const states = [{ id: "x", comment: "Volume data not found in pillar", changes: {} }];
    expect(written(decide(takingBack, ended({ end: "success", value: {}, states })))).toContain(
      "nothing was done on the node",
    );
  });
});

describe("a job that is lost", () => {
  test("is posted again under its id first, and then begun as another", () => {
    const again = decide(preparing, lost);
    expect(again).toMatchObject({ do: "call", command: { input: { jid } }, step: { details: { reposted: true } } });
    expect(again).not.toHaveProperty("writes");
    const anew = decide({ ...preparing, annotations: lostTwice }, lost);
    expect(anew).toMatchObject({ do: "call", step: { attempt: 2 } });
    expect(written(anew)).not.toContain(`PrepareVolume/${jid}`);
  });

  test("is given up after five attempts", () => {
    const annotations = note("posted", { posted: now - 11_000, reposted: true, attempt: 5 });
    expect(written(decide({ ...preparing, annotations }, lost))).toContain("attempt 5 of 5");
  });

  test("is not begun anew when the Volume is to go", () => {
    for (const [annotations, seen] of [
      [lostTwice, lost],
      [note("posted", { posted: now - 11_000, reposted: true, attempt: 5 }), lost],
      [note("conflict", { next: new Date(now).toISOString() }), conflict],
    ] as const)
      expect(decide({ ...preparing, annotations, deleting: true }, seen)).toMatchObject({
        do: "write",
        writes: [{ patch: { status: { job: "" } } }],
      });
  });

  test("may still be on its way when Salt does not know it: it is posted under its id", () => {
    expect(decide({ ...preparing, deleting: true }, unknown)).toMatchObject({
      do: "call",
      command: { input: { jid } },
    });
  });
});

describe("under a claim that was bound since", () => {
  test.each<[string, VolumeOptions, SeenJob]>([
    ["was never posted", takingBack, unknown],
    ["is nowhere", takingBack, lost],
    ["is lost", { ...takingBack, annotations: lostTwice }, lost],
    [
      "met another run",
      { ...takingBack, annotations: note("conflict", { next: new Date(now).toISOString() }) },
      conflict,
    ],
    [
      "has failed",
      {
        ...takingBack,
        annotations: note("not-reclaimed", { next: new Date(now).toISOString() }),
        phase: "Failed",
        reason: "DestructionError",
      },
      failure,
    ],
  ])("a job to take back that %s is dropped", (_, options, seen) => {
    expect(decide(options, seen, bound)).toMatchObject({ do: "write", writes: [{ patch: { status: { job: "" } } }] });
    expect(decide(options, seen, { ...bound, phase: "Released", finalizers: [] })).toMatchObject({ do: "call" });
  });
});

describe("a pause after a failure", () => {
  const failed = (ms: number) =>
    decide(
      {
        ...takingBack,
        phase: "Failed",
        reason: "DestructionError",
        annotations: note("not-reclaimed", { attempt: 3, next: new Date(now + ms).toISOString() }),
      },
      failure,
    );

  test("goes on, and nothing is written", () => {
    const decision = failed(60_000);
    expect(decision).toMatchObject({ do: "wait" });
    expect(decision).not.toHaveProperty("step");
  });

  test("ends with another attempt", () => {
    expect(failed(0)).toMatchObject({ do: "call", step: { attempt: 4 } });
  });

  test("that no clock could have written is over", () => {
    expect(failed(86_400_000)).toMatchObject({ do: "call" });
  });

  test("begins anew when people have removed what was written down", () => {
    const decision = decide({ ...takingBack, phase: "Failed", reason: "DestructionError", message: "x" }, failure);
    expect(decision).toMatchObject({ do: "write", step: { name: "not-reclaimed", attempt: 1 } });
  });
});

describe("of a node that is gone", () => {
  test("a Volume that is to go waits for an admin's word, and takes it", () => {
    expect(decide(takingBack, undefined, undefined, false)).toMatchObject({ step: { name: "node-missing" } });
    const annotations = { [abandonStorage]: "n0" };
    expect(decide({ ...takingBack, annotations }, undefined, undefined, false)).toMatchObject({
      do: "write",
      writes: [{ patch: { status: { job: "" } } }],
    });
    expect(
      decide({ ...takingBack, annotations: { [abandonStorage]: "n1" } }, undefined, undefined, false),
    ).toMatchObject({
      step: { name: "node-missing" },
    });
  });

  test("a Volume that is to stay goes on to be followed", () => {
    expect(decide(preparing, success, undefined, false)).toMatchObject({ do: "write" });
  });
});

test("what Salt refuses is on the Volume, keeps the count of attempts, and is not written twice", () => {
  const refused = { refused: "Salt does not let the account in." };
  const annotations = note("posted", { attempt: 3, posted: now - 20_000, reposted: true });
  expect(decide({ ...preparing, annotations }, refused)).toMatchObject({
    do: "write",
    because: refused.refused,
    step: { name: "refused", attempt: 3, details: { jid, reposted: true } },
    next: now + 60_000,
  });
  const said = note("refused", { next: new Date(now + 5000).toISOString() });
  expect(decide({ ...preparing, message: refused.refused, annotations: said }, refused)).toMatchObject({
    writes: [],
    next: now + 5000,
  });
});

describe("events", () => {
  const followed = note("running", { next: new Date(now + 5000).toISOString() });
  test.each<[string, ReturnType<typeof hint>, number]>([
    ["a Volume with a new job", hint("update", volume(preparing)), 1],
    [
      "a Volume whose note is about another job",
      hint(
        "update",
        volume({
          ...preparing,
          annotations: progress(settle.name, "running", { jid: "20260301115900000000", next: "2026-03-01T12:00:05Z" }),
        }),
      ),
      1,
    ],
    ["a signal", hint("signal", undefined), 1],
    ["a sweep", hint("sweep", undefined), 1],
    ["a Volume with something to clear", hint("update", volume({ annotations: followed })), 1],
    ["a Volume whose job it follows", hint("update", volume({ ...preparing, annotations: followed })), 0],
    ["a Volume whose node is asked", hint("update", volume({ phase: "Pending", job: `GetDeviceInfo/${jid}` })), 0],
    ["an available Volume", hint("update", volume({ phase: "Available", job: "" })), 0],
  ])("%s", (_, event, expected) => {
    expect(settle.subjects(event, settings)).toHaveLength(expected);
  });
});
