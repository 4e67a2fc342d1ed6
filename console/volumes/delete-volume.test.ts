import { expect, test } from "vitest";
import type { VolumeObject } from "../../functions/volume/lib/volume.ts";
import { deleteVolume } from "./delete-volume.ts";

const volume = {
  metadata: { name: "data", uid: "u-1" },
  spec: { nodeName: "node-1" },
  status: { conditions: [{ type: "Ready", status: "True" }] },
} as unknown as VolumeObject;

test("an available Volume whose PersistentVolume is not known may not be deleted", () => {
  expect(deleteVolume(volume, new Map()).refused).toBeUndefined();
  expect(deleteVolume(volume, undefined).refused).toMatch(/^Whether a claim uses it is not known/);
});
