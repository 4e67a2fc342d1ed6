import { describe, expect, test } from "vitest";
import { volumeWorld } from "../testing/world.ts";
import { Volume } from "./kinds.ts";

const sparse = (size: unknown) => ({ sparseLoopDevice: { size } });

describe("the API server refuses a Volume", () => {
  test.each<[string, object, string]>([
    ["without storage", { sparseLoopDevice: undefined }, "exactly one of"],
    ["with two kinds of it", { rawBlockDevice: { devicePath: "/dev/sdb" } }, "exactly one of"],
    ["of size 0", sparse("0"), "must be more than 0"],
    ["of size 0Gi", sparse("0Gi"), "must be more than 0"],
    ["of a negative size", sparse(-1), "must be more than 0"],
    ["of a size that no device has", sparse("10m"), "must be more than 0"],
    ["of exabytes", sparse("1Ei"), "must be more than 0"],
    ["of a size that is none", sparse("much"), "must be more than 0"],
    [
      "on a device without a path",
      { sparseLoopDevice: undefined, rawBlockDevice: { devicePath: "sdb" } },
      "must be the path of a device",
    ],
    ["in an unknown mode", { mode: "Object" }, "mode"],
    ["without a node", { nodeName: undefined }, "nodeName"],
    ["without a class", { storageClassName: "" }, "storageClassName"],
  ])("%s", async (_, spec, sentence) => {
    const world = await volumeWorld();
    await expect(world.create("data", spec as never)).rejects.toThrow(sentence);
  });

  test.each<[object, string]>([
    [{ nodeName: "n1" }, "the node cannot be changed"],
    [{ storageClassName: "other" }, "the class cannot be changed"],
    [{ mode: "Block" }, "the mode cannot be changed"],
    [sparse("20Gi"), "the device cannot be changed"],
    [{ sparseLoopDevice: null, rawBlockDevice: { devicePath: "/dev/sdb" } }, "cannot be changed"],
  ])("that is to become another: %j", async (spec, sentence) => {
    const world = await volumeWorld();
    await world.create("data");
    await expect(world.admin.patch(Volume, undefined, "data", "merge", { spec })).rejects.toThrow(sentence);
  });
});

test.each(["1", 1, "10Gi", "1.5Ti", "0.5k", "999999999999999999"])("it takes the size %j", async (size) => {
  const world = await volumeWorld();
  await world.create("data", sparse(size) as never);
  expect(await world.volume("data")).toMatchObject({ spec: { mode: "Filesystem", ...sparse(size) } });
});

test("the template may change, and what nobody has asked for is dropped", async () => {
  const world = await volumeWorld();
  await world.create("data", { unknown: 1 } as never);
  const template = { metadata: { labels: { a: "1" } }, spec: { claimRef: { name: "x" } } };
  await world.admin.patch(Volume, undefined, "data", "merge", { spec: { template } });
  expect((await world.volume("data"))?.spec).toEqual({
    nodeName: "n0",
    storageClassName: "metalk8s",
    mode: "Filesystem",
    sparseLoopDevice: { size: "10Gi" },
    template,
  });
});
