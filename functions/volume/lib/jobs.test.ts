import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inputOf, jid, node, now, uid, volume } from "../testing/objects.ts";
import { jidFor, jobOf, timeOf } from "./jobs.ts";

const settings = { saltenv: "" };

describe("a job", () => {
  test("to prepare has the Volume and its class in its pillar, and nothing that changes from look to look", () => {
    const given = volume({
      annotations: {
        "holdfast.dev/volume.settle": "{}",
        "metalk8s.scality.com/force-lvcreate": "",
        "corp.example/secret": "1",
      },
      spec: { template: { metadata: { labels: { a: "1" } } } },
    });
    expect(jobOf("PrepareVolume", jid, inputOf(given), settings)).toEqual({
      jid,
      minion: "n0",
      metadata: { volume: "data", uid, step: "PrepareVolume" },
      fun: "state.sls",
      kwarg: {
        mods: "metalk8s.volumes",
        saltenv: "base",
        pillar: {
          volume: "data",
          metalk8s: {
            volumes: {
              data: {
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
          },
        },
      },
    });
  });

  test("to take back needs neither class nor node", () => {
    const input = inputOf(volume(), { storageClass: undefined, node: undefined });
    const { kwarg } = jobOf("UnprepareVolume", jid, input, settings);
    expect(kwarg).toMatchObject({
      mods: "metalk8s.volumes.unprepared",
      pillar: { metalk8s: { volumes: { data: { spec: { storageClass: "metalk8s" } } } } },
    });
  });

  test("to ask for the device names the Volume by its UID, too: an earlier one may have left a record", () => {
    expect(jobOf("GetDeviceInfo", jid, inputOf(volume()), settings)).toMatchObject({
      fun: "metalk8s_volumes.device_info",
      kwarg: { name: "data", uid },
    });
  });

  const labelled = { ...node, metadata: { ...node.metadata, labels: { "metalk8s.scality.com/version": "129.0.1" } } };
  test.each([
    ["base where nothing says otherwise", node, "", "base"],
    ["MetalK8s' own on its nodes", labelled, "", "metalk8s-129.0.1"],
    ["the setting's before all", labelled, "corp", "corp"],
  ])("runs in the environment %s", (_, node, saltenv, expected) => {
    const { kwarg } = jobOf("PrepareVolume", jid, inputOf(volume(), { node }), { saltenv });
    expect(kwarg?.saltenv).toBe(expected);
  });
});

describe("an id", () => {
  test("says when it was chosen, to the second", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_102_444_800_000 }), (time) => {
        const id = jidFor("PrepareVolume", volume(), 1, time);
        expect(id).toMatch(/^\d{20}$/);
        expect(timeOf(id)).toBe(Math.floor(time / 1000) * 1000);
      }),
    );
  });

  test("is the same for two instances that decide the same, and another for all else", () => {
    const one = jidFor("PrepareVolume", volume(), 1, now);
    expect(jidFor("PrepareVolume", volume(), 1, now)).toBe(one);
    expect(jidFor("UnprepareVolume", volume(), 1, now)).not.toBe(one);
    expect(jidFor("PrepareVolume", volume(), 2, now)).not.toBe(one);
    const changed = volume();
    changed.metadata.resourceVersion = "10";
    expect(jidFor("PrepareVolume", changed, 1, now)).not.toBe(one);
  });

  test.each(["00000000000000000000", "99999999999999999999", "", "x"])(
    "that is no time (%s) is from long ago",
    (id) => {
      expect(timeOf(id)).toBe(0);
    },
  );
});
