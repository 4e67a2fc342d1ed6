import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyVolume, now, type VolumeOptions, volume } from "../testing/objects.ts";
import type { Reason } from "./schema.ts";
import {
  hasFailedForGood,
  type Phase,
  phaseOf,
  phaseWrites,
  statusWrites,
  type VolumeObject,
  type WantedStatus,
} from "./volume.ts";

describe("the phase", () => {
  test.each<[VolumeOptions, Phase]>([
    [{}, "Unknown"],
    [{ phase: "Available" }, "Available"],
    [{ phase: "Failed", reason: "CreationError" }, "Failed"],
    [{ phase: "Pending" }, "Pending"],
    [{ phase: "Terminating" }, "Terminating"],
    [{ phase: "Pending", reason: "" as Reason }, "Terminating"],
  ])("of %j is %s", (options, expected) => expect(phaseOf(volume(options))).toBe(expected));

  test("is taken from the condition Ready alone, as MetalK8s does", () => {
    const given = volume({ phase: "Pending" });
    expect(phaseOf({ status: { ...given.status, phase: "Available" } })).toBe("Pending");
    expect(phaseWrites(given)).toEqual([]);
    expect(phaseWrites({ ...given, status: { ...given.status, phase: "Available" } })).toMatchObject([
      { patch: { status: { phase: "Pending" } }, options: { subresource: "status" } },
    ]);
  });

  test.each<[Reason, boolean]>([
    ["CreationError", true],
    ["DestructionError", true],
    ["InternalError", true],
    ["UnavailableError", false],
  ])("Failed because of %s is for good: %s", (reason, expected) =>
    expect(hasFailedForGood(volume({ phase: "Failed", reason }))).toBe(expected),
  );
});

/** The Volume as a patch of its status leaves it. */
function patched(given: VolumeObject, writes: ReturnType<typeof statusWrites>): VolumeObject {
  const [write] = writes;
  const { status = {} } = (write?.verb === "patch" ? write.patch : {}) as { status?: object };
  return { ...given, status: { ...given.status, ...status } };
}

const wanted: fc.Arbitrary<WantedStatus> = fc
  .record(
    {
      phase: fc.constantFrom("Pending", "Available", "Failed", "Terminating"),
      reason: fc.constantFrom<Reason>("CreationError", "UnavailableError"),
      message: fc.string({ maxLength: 20 }),
      job: fc.constantFrom("", "PrepareVolume/DONE"),
      deviceName: fc.constantFrom("loop1", "loop2"),
    },
    { requiredKeys: [] },
  )
  .map((each) => each as WantedStatus);

describe("a status that is written", () => {
  test("says what was wanted, and is not written a second time", () => {
    fc.assert(
      fc.property(anyVolume, wanted, fc.nat(), (given, wanted, later) => {
        const after = patched(given, statusWrites(given, wanted, now));
        if (wanted.phase) expect(phaseOf(after)).toBe(expectedPhase(wanted));
        if (wanted.job !== undefined) expect(after.status?.job ?? "").toBe(wanted.job);
        expect(statusWrites(after, wanted, now + later)).toEqual([]);
      }),
    );
  });

  test("carries uid and resourceVersion, and only what changes", () => {
    const given = volume({ phase: "Pending", message: "It waits.", job: "PrepareVolume/DONE" });
    expect(statusWrites(given, { phase: "Pending", message: "It waits.", job: "" }, now)).toMatchObject([
      {
        verb: "patch",
        type: "merge",
        patch: { metadata: { uid: given.metadata.uid, resourceVersion: "9" }, status: { job: "" } },
      },
    ]);
  });

  test("moves the time of transition with the status only, and MetalK8s' time of update with each change", () => {
    const said = patched(
      volume({ phase: "Pending" }),
      statusWrites(volume({ phase: "Pending" }), { phase: "Pending", message: "Other." }, now),
    );
    expect(said.status?.conditions).toMatchObject([
      { lastTransitionTime: "2026-03-01T11:00:00Z", lastUpdateTime: "2026-03-01T12:00:00Z" },
    ]);
    const moved = patched(said, statusWrites(said, { phase: "Available" }, now + 60_000));
    expect(moved.status?.conditions).toMatchObject([
      { lastTransitionTime: "2026-03-01T12:01:00Z", lastUpdateTime: "2026-03-01T12:01:00Z" },
    ]);
  });
});

/** With a reason that is no standard one, `Unknown` is Terminating to MetalK8s. */
const expectedPhase = ({ phase, reason }: WantedStatus) => (phase === "Pending" && reason ? "Terminating" : phase);
