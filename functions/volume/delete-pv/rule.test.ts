import { describe, expect, test } from "vitest";
import { type Kind, PersistentVolume } from "../../../shared/kubernetes/kind.ts";
import { Volume } from "../lib/kinds.ts";
import { type VolumeObject, volumeFinalizer } from "../lib/volume.ts";
import {
  hint,
  jid,
  now,
  otherUid,
  type PersistentVolumeOptions,
  persistentVolume,
  seenOf,
  type VolumeOptions,
  volume,
  written,
} from "../testing/objects.ts";
import { deletePv } from "./rule.ts";

const decide = (
  pv: PersistentVolumeOptions | undefined,
  options: VolumeOptions = { phase: "Available", deleting: true },
) => {
  const seen = seenOf({ volume: volume(options), persistentVolume: pv && persistentVolume(pv) });
  return deletePv.decide({ seen }, now, {})[0];
};
const claim = { namespace: "shop", name: "data-0", uid: "c1" };

test("the PersistentVolume is deleted as it was read", () => {
  expect(decide({ phase: "Bound" })).toMatchObject({
    do: "write",
    writes: [{ verb: "delete", name: "data", options: { uid: "pv1", resourceVersion: "5" } }],
  });
});

test.each<[string, PersistentVolumeOptions, string]>([
  ["bound", { phase: "Bound", claim }, "claim shop/data-0 is bound"],
  ["just being bound", { finalizers: [volumeFinalizer], claim }, "claim shop/data-0 is bound"],
  ["protected by others", { phase: "Released", finalizers: [volumeFinalizer, "a.example/x"] }, "held by a.example/x"],
  ["in no known phase", { phase: "", finalizers: [volumeFinalizer] }, "may be in use"],
])("a PersistentVolume that is %s is waited for, and the Volume says for what", (_, pv, sentence) => {
  const decision = decide({ ...pv, deleting: true });
  expect(decision).toMatchObject({ do: "wait", step: { name: "held" } });
  expect(decision).not.toHaveProperty("next");
  expect(decision?.message).toContain(sentence);
});

test.each<[string, PersistentVolumeOptions | undefined, VolumeOptions]>([
  ["is another's", { owner: otherUid, path: `/dev/disk/by-uuid/${otherUid}` }, { deleting: true }],
  ["is not there", undefined, { deleting: true }],
  ["is unused", { deleting: true, finalizers: [volumeFinalizer] }, { deleting: true }],
  ["belongs to a Volume that stays", {}, { phase: "Available" }],
  ["may yet come, of a job that runs", undefined, { phase: "Pending", job: `PrepareVolume/${jid}`, deleting: true }],
])("nothing is done about a PersistentVolume that %s", (_, pv, options) =>
  expect(decide(pv, options)).toMatchObject({ do: "leave" }),
);

describe("a PersistentVolume whose Volume is gone", () => {
  const left: PersistentVolumeOptions = { deleting: true, finalizers: [volumeFinalizer] };
  const another = { ...volume(), metadata: { ...volume().metadata, uid: otherUid } };
  async function lookedAt(live: VolumeObject | undefined, options: PersistentVolumeOptions) {
    const objects = { Volume: live, PersistentVolume: persistentVolume(options) } as Record<string, unknown>;
    const client = { get: async ({ kind }: Kind) => objects[kind] } as never;
    return deletePv.decide(await deletePv.look({ kind: Volume, name: "data" }, { client } as never), now, {})[0];
  }

  test.each([
    ["is gone", undefined],
    ["has come again under another uid", another],
  ])("goes when its Volume %s", async (_, live) => {
    const decision = await lookedAt(live, left);
    expect(decision).toMatchObject({ do: "write", about: { kind: "PersistentVolume" }, writes: [{ verb: "patch" }] });
    expect(written(decision)).toContain(`"value":"${volumeFinalizer}"`);
    const [precondition] = decision?.do === "write" ? (decision.preconditions ?? []) : [];
    expect(precondition).toMatchObject({ kind: Volume, name: "data" });
    expect([undefined, another, volume()].map((each) => precondition?.holds(each))).toEqual([true, true, false]);
  });

  test.each<[string, VolumeObject | undefined, PersistentVolumeOptions]>([
    ["whose Volume is there", volume(), left],
    ["that is not being deleted", undefined, { finalizers: [volumeFinalizer] }],
    ["that a claim is bound to", undefined, { ...left, phase: "Bound", claim }],
    ["that a claim is just given", undefined, { ...left, claim }],
    ["that others hold, too", undefined, { ...left, finalizers: [volumeFinalizer, "a.example/x"] }],
    ["without the finalizer", undefined, { ...left, finalizers: [] }],
    ["without a controller", undefined, { ...left, owner: null }],
    ["with the storage of the Volume that is there now", another, { ...left, path: `/dev/disk/by-uuid/${otherUid}` }],
  ])("%s stays as it is", async (_, live, options) => {
    expect(written(await lookedAt(live, options))).toBe("[]");
  });
});

test("PersistentVolumes that are being deleted are looked after", () =>
  expect(deletePv.sweep).toContainEqual({ kind: PersistentVolume, when: { deletingWith: volumeFinalizer } }));

test.each<[string, ReturnType<typeof hint>, number]>([
  ["a Volume that is being deleted", hint("update", volume({ deleting: true })), 1],
  ["a PersistentVolume that is being deleted", hint("update", persistentVolume({ deleting: true })), 1],
  ["a sweep", hint("sweep", undefined), 1],
  ["a Volume that stays", hint("update", volume()), 0],
  ["a PersistentVolume that is being bound", hint("update", persistentVolume({ phase: "Bound" })), 0],
])("%s", (_, event, expected) => expect(deletePv.subjects(event, {})).toHaveLength(expected));
