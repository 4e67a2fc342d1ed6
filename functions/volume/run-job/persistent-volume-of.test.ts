import fc from "fast-check";
import { expect, test } from "vitest";
import { quantityValue } from "../../../shared/kubernetes/quantity.ts";
import { otherUid, storageClass, uid, volume } from "../testing/objects.ts";
import { isPathOf, persistentVolumeOf } from "./persistent-volume-of.ts";

const info = { size: "10737418240", path: `/dev/disk/by-uuid/${uid}` };

test("a PersistentVolume is as MetalK8s makes it", () => {
  const template = {
    metadata: { labels: { a: "1" }, annotations: { b: "2" }, name: "other", finalizers: ["x/y"], ownerReferences: [] },
    spec: {
      accessModes: ["ReadWriteMany"],
      persistentVolumeReclaimPolicy: "Delete",
      volumeAttributesClassName: "gold",
    },
  };
  const given = volume({ spec: { template } });
  expect(persistentVolumeOf(given, { ...storageClass, mountOptions: ["rw", "discard"] }, info)).toEqual({
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: {
      name: "data",
      labels: { a: "1" },
      annotations: { b: "2" },
      finalizers: ["storage.metalk8s.scality.com/volume-protection"],
      ownerReferences: [
        {
          apiVersion: given.apiVersion,
          kind: "Volume",
          name: "data",
          uid,
          controller: true,
          blockOwnerDeletion: false,
        },
      ],
    },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "10Gi" },
      mountOptions: ["rw", "discard"],
      volumeMode: "Filesystem",
      volumeAttributesClassName: "gold",
      local: { path: info.path, fsType: "ext4" },
      persistentVolumeReclaimPolicy: "Retain",
      storageClassName: "metalk8s",
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: ["n0"] }] },
          ],
        },
      },
    },
  });
});

test("a device has no file system", () => {
  const { spec } = persistentVolumeOf(volume({ spec: { mode: "Block" } }), storageClass, info);
  expect(spec).toMatchObject({ volumeMode: "Block", local: { path: info.path } });
  expect(JSON.stringify(spec)).not.toContain("fsType");
});

test("a Volume that was stored before there was a default has a file system", () => {
  const given = volume();
  const { mode: _, ...spec } = given.spec;
  const made = persistentVolumeOf({ ...given, spec } as never, storageClass, info);
  expect(made.spec).toMatchObject({ volumeMode: "Filesystem", local: { fsType: "ext4" } });
});

test("the capacity is every byte of the device, and none besides", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 2n ** 60n }), (size) => {
      const { spec } = persistentVolumeOf(volume(), storageClass, { ...info, size: String(size) });
      const { storage } = (spec as { capacity: { storage: string } }).capacity;
      expect(quantityValue(storage)).toBe(Number(size));
    }),
  );
});

test.each<[string, "Filesystem" | "Block", boolean]>([
  [`/dev/disk/by-uuid/${uid}`, "Filesystem", true],
  [`/dev/disk/by-partuuid/${uid}`, "Block", true],
  ["/dev/disk/by-id/dm-uuid-LVM-AbC123", "Block", true],
  [`/dev/disk/by-partuuid/${uid}`, "Filesystem", false],
  [`/dev/disk/by-uuid/${uid}`, "Block", false],
  [`/dev/disk/by-uuid/${otherUid}`, "Filesystem", false],
  ["/dev/disk/by-id/dm-uuid-LVM-x/../../sda", "Block", false],
  ["/dev/sdb", "Block", false],
  ["", "Filesystem", false],
])("%s names a Volume's storage in mode %s: %s", (path, mode, expected) => {
  expect(isPathOf(volume({ spec: { mode } }), path)).toBe(expected);
});
