import { describe, expect, test } from "vitest";
import type { SeenJob } from "../lib/pursue.ts";
import {
  hint,
  inputOf,
  jid,
  now,
  otherUid,
  type PersistentVolumeOptions,
  persistentVolume,
  progress,
  uid,
  type VolumeOptions,
  volume,
  written,
} from "../testing/objects.ts";
import { publish } from "./rule.ts";

const settings = { saltenv: "" };
const prepared: VolumeOptions = { phase: "Pending", job: "PrepareVolume/DONE" };
const asked: VolumeOptions = { phase: "Pending", job: `GetDeviceInfo/${jid}` };
const answered = (value: unknown): SeenJob => ({
  record: { state: "ended", outcome: { end: "success", value, states: [] } },
});
const path = `/dev/disk/by-uuid/${uid}`;

function decide(options: VolumeOptions, seen?: SeenJob, pv?: PersistentVolumeOptions, more: object = {}) {
  const given = volume(options);
  const facts = {
    volume: given,
    persistentVolume: pv && persistentVolume(pv),
    input: inputOf(given, more),
    ...(seen ? { seen } : {}),
  };
  return publish.decide(facts, now, settings)[0];
}

test("the node is asked once the storage is made", () => {
  expect(decide(prepared)).toMatchObject({
    do: "call",
    command: { input: { fun: "metalk8s_volumes.device_info", kwarg: { name: "data", uid } } },
    step: { name: "posted", attempt: 1 },
  });
});

test("its answer becomes the PersistentVolume first, and then the Volume's state", () => {
  const decision = decide(asked, answered({ size: "10737418240", path }));
  expect(decision).toMatchObject({
    do: "write",
    writes: [
      {
        verb: "create",
        object: { metadata: { name: "data" }, spec: { capacity: { storage: "10Gi" }, local: { path } } },
      },
      { verb: "patch", patch: { status: { phase: "Available", job: "" } } },
    ],
    event: { reason: "VolumeAvailable" },
  });
});

describe("an answer that is not the Volume's", () => {
  test.each([
    { size: "1024", path: `/dev/disk/by-uuid/${otherUid}` },
    { size: "1024", path: `/dev/disk/by-partuuid/${uid}` },
    { size: "1024", path: "/dev/sda" },
    { size: "1024", path: `/dev/disk/by-uuid/${uid}/../x` },
    { size: "0", path },
    { size: "-1", path },
    { size: 1024, path },
    { size: "1024" },
    { success: false, result: "x" },
    undefined,
    [],
  ])("%j fails", (value) => {
    const decision = decide(asked, answered(value));
    expect(decision).toMatchObject({ do: "write", event: { reason: "StorageNotPublished" } });
    expect(written(decision)).not.toContain('"verb":"create"');
  });
});

test.each<[string, VolumeOptions, PersistentVolumeOptions, object]>([
  ["made by a run that was cut short is reported", asked, {}, { phase: "Available", job: "" }],
  [
    "of a Volume that has failed with it clears the job only",
    { phase: "Failed", reason: "UnavailableError", job: `GetDeviceInfo/${jid}` },
    { phase: "Failed" },
    { job: "" },
  ],
])("a PersistentVolume %s", (_, options, pv, status) => {
  expect(decide(options, undefined, pv)).toMatchObject({ do: "write", writes: [{ patch: { status } }] });
});

test("another's PersistentVolume of the name fails the Volume, and is not touched", () => {
  const decision = decide(prepared, undefined, { owner: otherUid, path: `/dev/disk/by-uuid/${otherUid}` });
  expect(decision).toMatchObject({
    event: { reason: "PersistentVolumeTaken" },
    writes: [{ options: { subresource: "status" } }],
  });
});

test("a class that is missing is waited for", () => {
  expect(decide(prepared, undefined, undefined, { storageClass: undefined })).toMatchObject({
    step: { name: "class-missing" },
  });
});

test("a question that is lost is asked again under another id", () => {
  const annotations = progress(publish.name, "posted", { jid, posted: now - 11_000, reposted: true });
  expect(decide({ ...asked, annotations }, { record: { state: "pending" }, whereabouts: "absent" })).toMatchObject({
    do: "call",
    step: { attempt: 2 },
  });
});

test.each<[string, ReturnType<typeof hint>, number]>([
  ["a Volume whose storage is made", hint("update", volume(prepared)), 1],
  ["a Volume whose node was asked", hint("update", volume(asked)), 1],
  ["a signal", hint("signal", undefined), 1],
  [
    "a Volume whose question is followed",
    hint(
      "update",
      volume({ ...asked, annotations: progress(publish.name, "posted", { jid, next: "2026-03-01T12:00:05Z" }) }),
    ),
    0,
  ],
  ["a Volume that is being prepared", hint("update", volume({ phase: "Pending", job: `PrepareVolume/${jid}` })), 0],
  ["an available Volume", hint("update", volume({ phase: "Available", job: "" })), 0],
  [
    "a failed Volume",
    hint("update", volume({ phase: "Failed", reason: "CreationError", job: `GetDeviceInfo/${jid}` })),
    0,
  ],
])("%s", (_, event, expected) => {
  expect(publish.subjects(event, settings)).toHaveLength(expected);
});
