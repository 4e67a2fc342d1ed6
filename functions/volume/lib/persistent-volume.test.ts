import { describe, expect, test } from "vitest";
import { otherUid, type PersistentVolumeOptions, persistentVolume, uid, volume } from "../testing/objects.ts";
import { isBinding, isOf, isUnused } from "./persistent-volume.ts";
import { volumeFinalizer } from "./volume.ts";

const lvm = "/dev/disk/by-id/dm-uuid-LVM-abc";
const others = `/dev/disk/by-uuid/${otherUid}`;

describe("a PersistentVolume of the Volume's name is its own", () => {
  test.each<[string, PersistentVolumeOptions, boolean]>([
    ["when it is controlled by it", {}, true],
    ["when it is controlled by it, at another's path", { path: others }, true],
    ["without a controller, at its path", { owner: null }, true],
    ["when another controls it, at its path", { owner: otherUid }, true],
    ["without a controller, at its partition", { owner: null, path: `/dev/disk/by-partuuid/${uid}` }, true],
    ["not when another controls it, at another's path", { owner: otherUid, path: others }, false],
    ["not without a controller, at another's path", { owner: null, path: others }, false],
    ["not when another controls it, at a path that says nothing", { owner: otherUid, path: lvm }, false],
    ["without a controller, when only the finalizer is known", { owner: null, path: lvm }, true],
    ["not when there is not even that", { owner: null, path: lvm, finalizers: [] }, false],
  ])("%s", (_, options, expected) => expect(isOf(persistentVolume(options), volume())).toBe(expected));

  test("not when an object of another kind has the uid", () => {
    const pv = persistentVolume({ path: others });
    const [reference] = pv.metadata.ownerReferences ?? [];
    if (reference) reference.kind = "ConfigMap";
    expect(isOf(pv, volume())).toBe(false);
  });
});

describe("it is unused", () => {
  const unused = { deleting: true, finalizers: [volumeFinalizer] };
  const claim = { namespace: "shop", name: "data" };
  test.each<[string, PersistentVolumeOptions, boolean]>([
    ["when nothing but Holdfast holds it", unused, true],
    ["when not even that does", { ...unused, finalizers: [] }, true],
    ["when it is released", { ...unused, phase: "Released", claim: { ...claim, uid: "c1" } }, true],
    ["when it has failed", { ...unused, phase: "Failed", claim: { ...claim, uid: "c1" } }, true],
    ["when it is reserved", { ...unused, claim }, true],
    ["not when a claim has just been given it", { ...unused, claim: { ...claim, uid: "c1" } }, false],
    ["not when it is bound", { ...unused, phase: "Bound" }, false],
    ["not when it is pending", { ...unused, phase: "Pending" }, false],
    ["not when its phase is not known", { ...unused, phase: "" }, false],
    ["not when Kubernetes protects it", { deleting: true }, false],
    ["not when anybody else holds it", { ...unused, finalizers: [volumeFinalizer, "a.example/x"] }, false],
    ["not when it is not being deleted", { ...unused, deleting: false }, false],
  ])("%s", (_, options, expected) => expect(isUnused(persistentVolume(options))).toBe(expected));

  test("a claim is just being bound only while it is not said to be", () => {
    const claim = { namespace: "shop", name: "data", uid: "c1" };
    expect(["Available", "Bound", "Released"].map((phase) => isBinding(persistentVolume({ phase, claim })))).toEqual([
      true,
      false,
      false,
    ]);
  });
});
