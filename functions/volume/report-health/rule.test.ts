import { expect, test } from "vitest";
import {
  hint,
  jid,
  now,
  type PersistentVolumeOptions,
  persistentVolume,
  type VolumeOptions,
  volume,
  written,
} from "../testing/objects.ts";
import { reportHealth } from "./rule.ts";

const decide = (options: VolumeOptions, pv?: PersistentVolumeOptions) =>
  reportHealth.decide({ volume: volume(options), persistentVolume: pv && persistentVolume(pv) }, now, {})[0];
const available: VolumeOptions = { phase: "Available", job: "" };
const unavailable: VolumeOptions = { phase: "Failed", reason: "UnavailableError", job: "" };

test.each<[string, VolumeOptions, PersistentVolumeOptions, string, object]>([
  ["fails", available, { phase: "Failed", message: "gone bad" }, "Failed", { reason: "VolumeUnavailable" }],
  ["is well again", unavailable, { phase: "Released" }, "Available", { reason: "VolumeAvailable" }],
])("a PersistentVolume that %s", (_, options, pv, phase, event) => {
  const decision = decide(options, pv);
  expect(decision).toMatchObject({ do: "write", event });
  expect(written(decision)).toContain(`"phase":"${phase}"`);
});

test("one that people have deleted leaves the Volume available, which says what to do", () => {
  const decision = decide(available, { phase: "Bound", deleting: true });
  expect(decision?.message).toBe("The PersistentVolume is being deleted, and goes with the Volume: delete that, too.");
  expect(written(decision)).not.toContain('"phase"');
});

test.each<[string, VolumeOptions, PersistentVolumeOptions | undefined]>([
  ["an available Volume", available, { phase: "Bound" }],
  [
    "a Volume that says how its PersistentVolume failed",
    { ...unavailable, message: "The PersistentVolume has failed (no reason): gone bad." },
    { phase: "Failed", message: "gone bad" },
  ],
  ["a Volume that has failed before", { phase: "Failed", reason: "CreationError" }, {}],
  ["a Volume whose PersistentVolume is gone", available, undefined],
  ["a Volume that is being made", { phase: "Pending", job: `GetDeviceInfo/${jid}` }, {}],
  ["a Volume that is being deleted", { ...available, deleting: true }, { phase: "Failed" }],
  ["a Volume without a status", {}, undefined],
])("%s is left as it is", (_, options, pv) => expect(decide(options, pv)).toMatchObject({ do: "leave" }));

test.each<VolumeOptions>([
  { phase: "Failed", reason: "CreationError" },
  { phase: "Pending", job: `PrepareVolume/${jid}` },
  { phase: "Terminating", deleting: true },
])("a Volume of MetalK8s' operator shows its phase: %j", (options) => {
  const given = volume(options);
  const { phase, ...status } = given.status ?? {};
  const [decision] = reportHealth.decide({ volume: { ...given, status }, persistentVolume: undefined }, now, {});
  expect(decision).toMatchObject({ do: "write", writes: [{ patch: { status: { phase } } }] });
});

test.each<[string, ReturnType<typeof hint>, number]>([
  ["a PersistentVolume of a Volume", hint("update", persistentVolume()), 1],
  ["a sweep", hint("sweep", undefined), 1],
  ["another PersistentVolume", hint("update", persistentVolume({ owner: null })), 0],
  ["a Volume", hint("update", volume()), 0],
])("%s", (_, event, expected) => expect(reportHealth.subjects(event, {})).toHaveLength(expected));
