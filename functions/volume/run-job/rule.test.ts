import { describe, expect, test } from "vitest";
import { type Kind, Node, PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import { SystemError } from "../../../shared/system/system-error.ts";
import { volumeStep } from "../lib/chain.ts";
import { Volume } from "../lib/kinds.ts";
import type { ChainFacts } from "../lib/look.ts";
import type { JobView } from "../lib/salt/job.ts";
import type { VolumeStatus } from "../lib/schema.ts";
import { type VolumeObject, volumeFinalizer } from "../lib/volume.ts";
import {
  hint,
  jid,
  node,
  now,
  otherUid,
  type PersistentVolumeOptions,
  persistentVolume,
  progress,
  seenOf,
  storageClass,
  uid,
  type VolumeOptions,
  volume,
  written,
} from "../testing/objects.ts";
import { readJob } from "./job-note.ts";
import type { Observation } from "./next-job-action.ts";
import { runJob } from "./rule.ts";

const preparing: VolumeOptions = { phase: "Pending", job: `PrepareVolume/${jid}` };
const takingBack: VolumeOptions = { phase: "Terminating", job: `UnprepareVolume/${jid}`, deleting: true };
const job = (view: JobView): Observation => ({ of: "job", ...view });
const ended = (outcome: object) => job({ record: { state: "ended", outcome: outcome as never } });
const device = { size: "10737418240", path: `/dev/disk/by-uuid/${uid}` };
const success = ended({ end: "success", value: device });
const failure = ended({ end: "failure", message: "device is busy" });
const lost = job({ record: { state: "pending" }, whereabouts: "absent" });
const unknown = job({ record: { state: "unknown" }, whereabouts: "absent" });
const ready: Observation = { of: "node", answers: true };
const note = (step: string, more: object = {}, handle = `UnprepareVolume/${jid}`) =>
  progress("volume/job", step, { job: handle, ...more });
const lostTwice = (handle: string) => note("posted", { posted: now - 11_000, reposted: true }, handle);
const bound: PersistentVolumeOptions = { phase: "Bound", deleting: true };

function decide(options: VolumeOptions, seen: Observation, pv?: PersistentVolumeOptions) {
  const given = volume(options);
  const step =
    options.job?.startsWith("Unprepare") || (options.deleting && !options.job) ? "UnprepareVolume" : "PrepareVolume";
  const facts = { volume: given, persistentVolume: pv && persistentVolume(pv), nodeIsGone: false };
  const work = { storageClass, step, job: readJob(given), seen } as const;
  return runJob.decide({ seen: seenOf(facts), work }, now, {})[0];
}

describe("a job that makes storage", () => {
  test("is written down before Salt hears of it", () => {
    const decision = decide({}, ready);
    const command = { name: "begin a Salt job" };
    expect(decision).toMatchObject({ do: "call", step: { name: "posted", attempt: 1 }, command });
    expect(written(decision)).toMatch(/"job":"PrepareVolume\/\d{20}"/);
  });

  test("that ends well becomes a PersistentVolume", () => {
    const decision = decide(preparing, success);
    expect(decision).toMatchObject({ do: "write", writes: [{ verb: "create" }, { verb: "patch" }] });
    expect(written(decision)).toContain('"phase":"Available"');
    expect(written(decision)).toContain('"job":""');
  });

  test.each([
    ["is being deleted", volume({ ...preparing, deleting: true })],
    ["was replaced", { ...volume(preparing), metadata: { ...volume(preparing).metadata, uid: otherUid } }],
    ["is gone", undefined],
  ])("makes no PersistentVolume of a Volume that %s meanwhile", (_, live) => {
    const decision = decide(preparing, success);
    const [precondition] = decision?.do === "write" ? (decision.preconditions ?? []) : [];
    expect(precondition).toMatchObject({ kind: Volume, name: "data" });
    expect(precondition?.holds(volume(preparing))).toBe(true);
    expect(precondition?.holds(live)).toBe(false);
  });

  test.each([
    { ...device, path: "/dev/disk/by-uuid/another" },
    { ...device, path: "/dev/sda" },
    { ...device, size: "0" },
    { ...device, size: 7 },
    null,
    "a text",
  ])("that returns %j fails the Volume, and nothing is published", (value) => {
    const decision = decide(preparing, ended({ end: "success", value }));
    expect(decision).toMatchObject({ do: "write", event: { reason: "StorageNotPrepared" } });
    expect(written(decision)).toContain("has not returned size and path of this Volume's storage");
    expect(written(decision)).not.toContain('"create"');
  });

  test("that is lost is posted again under its id, and then begun under another", () => {
    const again = decide(preparing, lost);
    expect(again).toMatchObject({ do: "call", command: { input: { jid } }, step: { details: { reposted: true } } });
    expect(again).not.toHaveProperty("writes");
    const other = decide({ ...preparing, annotations: lostTwice(`PrepareVolume/${jid}`) }, lost);
    expect(other).toMatchObject({ do: "call", step: { attempt: 2 } });
    expect(written(other)).not.toContain(`PrepareVolume/${jid}`);
  });

  test("of a Volume that is to go is posted while Salt does not know it, and not repeated when it has ended", () => {
    const posted = decide({ ...preparing, deleting: true }, unknown);
    expect(posted).toMatchObject({ do: "call", command: { input: { jid } } });
    const annotations = lostTwice(`PrepareVolume/${jid}`);
    for (const [options, seen] of [
      [{ ...preparing, annotations }, lost],
      [preparing, success],
      [preparing, failure],
    ] as const)
      expect(decide({ ...options, deleting: true }, seen)).toMatchObject({
        do: "write",
        writes: [{ patch: { status: { phase: "Terminating", job: "" } } }],
      });
  });
});

describe("a job that takes storage back", () => {
  test("that ends well is done", () => {
    for (const value of [{ changed: true, uid }, { changed: false }])
      expect(written(decide(takingBack, ended({ end: "success", value })))).toContain('"job":"UnprepareVolume/DONE"');
  });

  test.each([{ changed: true, uid: otherUid }, { changed: true, ...device }, null, "a text"])(
    "that returns %j has not run for this Volume, and another one follows",
    (value) => {
      const decision = decide(takingBack, ended({ end: "success", value }));
      expect(decision).toMatchObject({ step: { name: "not-reclaimed", attempt: 2 }, next: now + 60_000 });
      expect(written(decision)).not.toContain("DONE");
      expect(written(decision)).toContain("has returned nothing of this Volume");
    },
  );

  test.each([
    [1, 60_000],
    [2, 120_000],
    [5, 960_000],
    [7, 3_600_000],
    [99, 3_600_000],
  ])("that ends badly the %i. time is tried again after %i ms", (attempt, pause) => {
    const decision = decide({ ...takingBack, annotations: note("running", { attempt }) }, failure);
    const step = { name: "not-reclaimed", attempt: attempt + 1 };
    expect(decision).toMatchObject({ do: "write", step, next: now + pause });
    expect(written(decision)).toContain('"reason":"DestructionError"');
  });

  const failed = (ms: number): VolumeOptions => ({
    ...takingBack,
    phase: "Failed",
    reason: "DestructionError",
    annotations: note("not-reclaimed", { attempt: 4, next: new Date(now + ms).toISOString() }),
  });

  test("is left alone in its pause, and begun again after it", () => {
    const decision = decide(failed(60_000), ready);
    expect(decision).toMatchObject({ do: "wait" });
    expect(decision).not.toHaveProperty("step");
    expect(decide(failed(0), ready)).toMatchObject({ do: "call", step: { attempt: 4 } });
  });

  test.each<[string, VolumeOptions, Observation]>([
    ["was never posted", takingBack, unknown],
    ["is nowhere", takingBack, lost],
    ["is lost", { ...takingBack, annotations: lostTwice(`UnprepareVolume/${jid}`) }, lost],
    ["has failed", failed(0), ready],
    ["pauses", failed(60_000), ready],
  ])("that %s is dropped when a claim was bound meanwhile", (_, options, seen) =>
    expect(decide(options, seen, bound)).toMatchObject({ do: "write", writes: [{ patch: { status: { job: "" } } }] }),
  );
});

test("storage is not taken back where a claim has been bound while Salt was asked", async () => {
  const goes = { phase: "Released", deleting: true, finalizers: [volumeFinalizer] };
  let live = persistentVolume(goes);
  const objects = new Map<unknown, object>([
    [Volume, volume({ ...takingBack, job: "" })],
    [Node, node],
  ]);
  const get = async (kind: Kind) => (kind === PersistentVolume ? live : objects.get(kind));
  const client = { get, list: async function* () {} };
  const salt = {
    findJob: async () => {
      live = persistentVolume({ ...goes, phase: "Bound" });
      return "absent";
    },
  };
  const facts = await runJob.look({ kind: Volume, name: "data" }, { client, salt, settings: {} } as never);
  expect(runJob.decide(facts, now, {})).toMatchObject([{ do: "leave" }]);
});

describe("an outage", () => {
  const error = new SystemError("Salt", "unauthorized", "The password is wrong.");
  const refused: Observation = { of: "outage", error };

  test("is on the Volume with its beginning, keeps what is known of the job, and is not written twice", () => {
    const annotations = note("posted", { attempt: 3, posted: now - 20_000, reposted: true }, preparing.job);
    const decision = decide({ ...preparing, annotations }, refused);
    const message =
      "The password is wrong. It has been so since 2026-03-01 12:00 UTC; Volume data goes on by itself when it is " +
      "over.";
    const step = { name: "salt-unauthorized", attempt: 3, details: { reposted: true } };
    expect(decision).toMatchObject({ do: "write", message, step, next: now + 60_000 });
    const times = { next: new Date(now + 5000).toISOString(), since: new Date(now).toISOString() };
    const said = note("salt-unauthorized", times, preparing.job);
    expect(decide({ ...preparing, message, annotations: said }, refused)).toMatchObject({ writes: [] });
  });

  test.each<[VolumeOptions, string | undefined]>([
    [{}, "Pending"],
    [{ phase: "Pending" }, "Pending"],
    [{ phase: "Available", deleting: true }, undefined],
    [{ phase: "Terminating", deleting: true }, "Terminating"],
  ])("before a job was begun leaves %j in its phase", (options, phase) => {
    const { writes = [] } = decide({ ...options, job: "" }, refused) as {
      writes?: { patch: { status: { phase?: string } } }[];
    };
    for (const { patch } of writes) expect([undefined, phase]).toContain(patch.status.phase);
    expect(JSON.stringify(writes)).toContain("The password is wrong.");
  });

  test("takes no failure away", () => {
    const failed = { ...preparing, phase: "Failed", reason: "CreationError", deleting: true } as const;
    expect(decide(failed, refused)).toMatchObject({ writes: [], step: { name: "salt-unauthorized" } });
  });
});

describe("a Volume that waits for its Node object", () => {
  const waiting = (options: VolumeOptions) => {
    const given = volume(options);
    const work = { obstacle: { step: "node-missing", message: "Node n0 does not exist." } } as const;
    const decision = runJob.decide({ seen: seenOf({ volume: given, persistentVolume: undefined }), work }, now, {})[0];
    const [write] = decision?.do === "write" ? decision.writes : [];
    const { status } = (write as { patch: { status: Partial<VolumeStatus> } }).patch;
    return { decision, after: { ...given, status: { ...given.status, ...status } } as VolumeObject };
  };
  const deleted = (after: VolumeObject): ChainFacts => ({
    volume: { ...after, metadata: { ...after.metadata, deletionTimestamp: new Date(now).toISOString() } },
    persistentVolume: undefined,
    nodeIsGone: true,
  });

  test.each<VolumeOptions>([
    { phase: "Available", job: "" },
    { phase: "Failed", reason: "UnavailableError" },
    { phase: "Pending", deviceName: "loop3" },
  ])("keeps a sign that its storage was made: %j", (options) => {
    const { decision, after } = waiting(options);
    const job = "PrepareVolume/DONE";
    expect(after.status).toMatchObject({ phase: "Pending", job });
    expect(decision).toMatchObject({ step: { details: { job } } });
    expect(volumeStep(deleted(after))).toBe("reclaim");
    expect(volumeStep({ ...deleted(after), volume: after, nodeIsGone: false })).toBe("prepare");
  });

  test.each<VolumeOptions>([{}, { phase: "Pending", job: "" }])(
    "has none of storage that was not begun: %j",
    (options) => {
      const { decision, after } = waiting(options);
      expect(after.status?.job ?? "").toBe("");
      expect(decision).toMatchObject({ step: { details: { job: "" } } });
      expect(volumeStep(deleted(after))).toBe("release");
    },
  );
});

describe("an event of", () => {
  const followed = note("running", { next: new Date(now + 5000).toISOString() }, preparing.job);
  const isFollowed = { ...preparing, annotations: followed };
  const other = note("running", { next: "2026-03-01T12:00:05Z" }, "PrepareVolume/20260301115900000000");
  const accepted = progress("volume/job", "accepted", { next: new Date(now + 5000).toISOString() });
  test.each<[string, ReturnType<typeof hint>, number]>([
    ["an accepted Volume", hint("update", volume({ annotations: accepted })), 1],
    ["a Volume without the finalizer", hint("add", volume({ finalizers: [] })), 0],
    ["a Volume with a new job", hint("update", volume(preparing)), 1],
    ["a Volume whose note is about another job", hint("update", volume({ ...preparing, annotations: other })), 1],
    ["a Volume whose job it follows", hint("update", volume(isFollowed)), 0],
    ["such a Volume, deleted since", hint("update", volume({ ...isFollowed, deleting: true })), 1],
    ["a signal", hint("signal", undefined), 1],
    ["a sweep", hint("sweep", undefined), 1],
    ["a Volume with something to clear", hint("update", volume({ phase: "Available", annotations: followed })), 1],
    ["a Volume that has failed", hint("update", volume({ phase: "Failed", reason: "CreationError" })), 0],
    ["an available Volume", hint("update", volume({ phase: "Available", job: "" })), 0],
    ["a PersistentVolume that is gone", hint("delete", persistentVolume()), 1],
    ["a PersistentVolume that goes", hint("update", persistentVolume({ deleting: true })), 1],
    ["a PersistentVolume that is bound", hint("update", persistentVolume({ phase: "Bound" })), 0],
  ])("%s", (_, event, expected) => expect(runJob.subjects(event, {})).toHaveLength(expected));
});
