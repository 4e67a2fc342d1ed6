import { describe, expect, test } from "vitest";
import type { Write } from "../../../shared/kubernetes/write.ts";
import { abandonStorage } from "../lib/vanished-node.ts";
import { volumeFinalizer } from "../lib/volume.ts";
import {
  hint,
  inputOf,
  jid,
  now,
  otherUid,
  type PersistentVolumeOptions,
  persistentVolume,
  type VolumeOptions,
  volume,
} from "../testing/objects.ts";
import { reclaim } from "./rule.ts";

const settings = { saltenv: "" };
const unused: PersistentVolumeOptions = { deleting: true, finalizers: [volumeFinalizer], phase: "Released" };

function decide(options: VolumeOptions, pv?: PersistentVolumeOptions, more: object = {}) {
  const given = volume({ deleting: true, ...options });
  return reclaim.decide(
    { volume: given, persistentVolume: pv && persistentVolume(pv), job: { ...inputOf(given), ...more } },
    now,
    settings,
  )[0];
}
const finalizersOf = (writes: readonly Write[]) =>
  writes.map((write) => [
    write.kind.kind,
    write.verb === "patch" && (write.patch as { path: string; value: unknown }[])[2],
  ]);

test("the storage is taken back under an id that is on the Volume first", () => {
  const decision = decide({ phase: "Available", job: "" }, unused);
  if (decision?.do !== "call") throw new Error("A call was expected.");
  const { jid } = decision.command.input as { jid: string };
  expect(decision).toMatchObject({
    writes: [{ patch: { status: { job: `UnprepareVolume/${jid}`, phase: "Terminating" } } }],
    command: { input: { kwarg: { mods: "metalk8s.volumes.unprepared" } } },
  });
});

test.each<[string, VolumeOptions]>([
  ["that was never prepared", {}],
  [
    "whose preparation has failed, and left its job there",
    { phase: "Failed", reason: "CreationError", job: `PrepareVolume/${jid}` },
  ],
  ["whose node is asked", { phase: "Pending", job: `GetDeviceInfo/${jid}` }],
])("so is that of a Volume %s", (_, options) => {
  expect(decide(options)).toMatchObject({ do: "call" });
});

describe("when that is done", () => {
  const done: VolumeOptions = { phase: "Terminating", job: "UnprepareVolume/DONE" };
  const off = { op: "test", path: "/metadata/finalizers/0", value: volumeFinalizer };

  test("the finalizers leave, the PersistentVolume's first", () => {
    const decision = decide(done, unused);
    expect(decision?.do === "write" && finalizersOf(decision.writes)).toEqual([
      ["PersistentVolume", off],
      ["Volume", off],
    ]);
  });

  test.each<[string, PersistentVolumeOptions | undefined]>([
    ["gone", undefined],
    ["another's", { owner: otherUid, path: `/dev/disk/by-uuid/${otherUid}` }],
    ["there without it", { ...unused, finalizers: [] }],
  ])("the Volume's alone leaves where the PersistentVolume is %s", (_, pv) => {
    const decision = decide(done, pv);
    expect(decision?.do === "write" && finalizersOf(decision.writes)).toEqual([["Volume", off]]);
  });

  test("none leaves while the PersistentVolume is in use", () => {
    expect(decide(done, { phase: "Bound", deleting: true })).toMatchObject({ do: "leave" });
  });
});

describe("of a node that is gone", () => {
  const without = { node: undefined };
  test("the storage is not given up by itself, nor under another node's name", () => {
    for (const annotations of [{}, { [abandonStorage]: "n1" }, { [abandonStorage]: "" }])
      expect(decide({ annotations }, undefined, without)).toMatchObject({
        do: "write",
        step: { name: "node-missing" },
      });
  });

  test("it is given up when an admin says so", () => {
    const decision = decide({ annotations: { [abandonStorage]: "n0" } }, unused, without);
    expect(decision).toMatchObject({ do: "write", event: { reason: "StorageAbandoned" } });
    expect(decision?.do === "write" && decision.writes).toHaveLength(2);
  });

  test("what is in use is kept all the same", () => {
    const annotations = { [abandonStorage]: "n0" };
    expect(decide({ annotations }, { phase: "Bound", deleting: true }, without)).toMatchObject({ do: "leave" });
  });
});

test("a node that works for another is waited for", () => {
  expect(decide({}, undefined, { busy: "other" })).toMatchObject({ do: "write", step: { name: "queued" } });
});

test.each<[string, ReturnType<typeof hint>, number]>([
  ["a Volume that is being deleted", hint("update", volume({ deleting: true })), 1],
  ["a PersistentVolume that is being deleted", hint("update", persistentVolume({ deleting: true })), 1],
  ["a PersistentVolume that is gone", hint("delete", persistentVolume({ deleting: true })), 1],
  ["a Volume that stays", hint("update", volume()), 0],
  ["a PersistentVolume that stays", hint("update", persistentVolume({ phase: "Bound" })), 0],
])("%s", (_, event, expected) => {
  expect(reclaim.subjects(event, settings)).toHaveLength(expected);
});
