import fc from "fast-check";
import { expect, test } from "vitest";
import { timeOf } from "../lib/salt/jid.ts";
import { jid, now, storageClass, uid, volume } from "../testing/objects.ts";
import { jidFor, saltJobOf } from "./salt-job.ts";

test("a job to prepare is given the Volume with its class, and nothing that changes from look to look", () => {
  const given = volume({
    annotations: {
      "holdfast.dev/volume.job": "{}",
      "metalk8s.scality.com/force-lvcreate": "",
      "corp.example/secret": "1",
    },
    spec: { template: { metadata: { labels: { a: "1" } } } },
  });
  expect(saltJobOf("PrepareVolume", jid, given, storageClass)).toEqual({
    jid,
    minion: "n0",
    metadata: { volume: "data", uid, step: "PrepareVolume" },
    fun: "metalk8s_volumes.prepare",
    kwarg: {
      volume: {
        apiVersion: given.apiVersion,
        kind: "Volume",
        metadata: { name: "data", uid, annotations: { "metalk8s.scality.com/force-lvcreate": "" } },
        spec: {
          nodeName: "n0",
          storageClassName: "metalk8s",
          mode: "Filesystem",
          sparseLoopDevice: { size: "10Gi" },
          storageClass: { metadata: { name: "metalk8s" }, parameters: { fsType: "ext4" } },
        },
      },
    },
  });
});

test("a job to take back needs no class", () => {
  expect(saltJobOf("UnprepareVolume", jid, volume(), undefined)).toMatchObject({
    fun: "metalk8s_volumes.unprepare",
    kwarg: { volume: { spec: { storageClass: "metalk8s" } } },
  });
});

test("an id says when it was chosen, to the second", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_102_444_800_000 }), (time) => {
      const id = jidFor("PrepareVolume", volume(), 1, time);
      expect(id).toMatch(/^\d{20}$/);
      expect(timeOf(id)).toBe(Math.floor(time / 1000) * 1000);
    }),
  );
});

test("an id is the same for two instances that decide the same, and another for all else", () => {
  const one = jidFor("PrepareVolume", volume(), 1, now);
  expect(jidFor("PrepareVolume", volume(), 1, now)).toBe(one);
  expect(jidFor("UnprepareVolume", volume(), 1, now)).not.toBe(one);
  expect(jidFor("PrepareVolume", volume(), 2, now)).not.toBe(one);
  const changed = volume();
  changed.metadata.resourceVersion = "10";
  expect(jidFor("PrepareVolume", changed, 1, now)).not.toBe(one);
});

test.each(["00000000000000000000", "99999999999999999999", "", "x"])(
  "an id that is no time (%s) is from long ago",
  (id) => expect(timeOf(id)).toBe(0),
);
