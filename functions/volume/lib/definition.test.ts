import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { customResourceDefinition } from "../../../build/manifests/crd/definition.ts";
import { seededRandom } from "../../../eventing/random.ts";
import { createApiServer } from "../../../local/apiserver/server.ts";
import { virtualClock } from "../../../local/time/testing/virtual-clock.ts";
import { createClient } from "../../../shared/kubernetes/client.ts";
import { volumeDefinition } from "./definition.ts";
import { Volume } from "./kinds.ts";
import type { VolumeObject } from "./volume.ts";

const clock = virtualClock();
const client = createClient(createApiServer({ clock, random: seededRandom(1) }).handle, { clock });
const { apiVersion, kind } = Volume;
const usual = { nodeName: "n0", storageClassName: "metalk8s", sparseLoopDevice: { size: "10Gi" } };
const create = (spec: object = {}) =>
  client.create(Volume, { apiVersion, kind, metadata: { name: "data" }, spec: { ...usual, ...spec } } as never);
const change = (spec: object) => client.patch(Volume, undefined, "data", "merge", { spec });
const specNow = async () => (await client.get<VolumeObject>(Volume, undefined, "data"))?.spec;

beforeAll(async () => {
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  await client.request("POST", definitions, customResourceDefinition(volumeDefinition));
  await clock.advance(1000);
});
beforeEach(() => client.delete(Volume, undefined, "data"));

const sparse = (size: unknown) => ({ sparseLoopDevice: { size } });
const raw = (devicePath: unknown) => ({ sparseLoopDevice: undefined, rawBlockDevice: { devicePath } });
const logical = (vgName: unknown, size: unknown = "1Gi") => ({
  sparseLoopDevice: undefined,
  lvmLogicalVolume: { vgName, size },
});

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
    ...["", " 1Gi", "1 Gi", "1gi", "1KI", "1e3", "+1Gi", "1.Gi", ".5Gi", "1Gi\n", 0].map(
      (size): [string, object, string] => [`of the size ${JSON.stringify(size)}`, sparse(size), "must be more than 0"],
    ),
    ["of a size that is a list", sparse(["1Gi"]), "size"],
    ["of a size that is a fraction", sparse(1.5), "size"],
    ["of no size", sparse(undefined), "size"],
    ["whose source is a text", { sparseLoopDevice: "1Gi" }, "sparseLoopDevice"],
    ...["sdb", "", "/", "/etc/passwd", "/dev/", "/dev/sd b", "/dev/../etc/x", "/dev/sdb\n"].map(
      (path): [string, object, string] => [
        `on the device ${JSON.stringify(path)}`,
        raw(path),
        "must be the path of a device",
      ],
    ),
    ["on a device that is a number", raw(7), "devicePath"],
    ["on a device without a path", raw(undefined), "devicePath"],
    ["on a device whose path has no end", raw(`/dev/${"a".repeat(1024)}`), "devicePath"],
    ...["-x", "a/b", "a b", ".", "..", "vg\n"].map((group): [string, object, string] => [
      `in the group ${JSON.stringify(group)}`,
      logical(group),
      "must be the name of a volume group",
    ]),
    ["in a group without a name", logical(""), "vgName"],
    ["in no group", logical(undefined), "vgName"],
    ["in a group, of size 0", logical("vg", "0"), "must be more than 0"],
    ["in a group, of no size", { sparseLoopDevice: undefined, lvmLogicalVolume: { vgName: "vg" } }, "size"],
    ["in an unknown mode", { mode: "Object" }, "mode"],
    ["without a node", { nodeName: undefined }, "nodeName"],
    ...["*", "worker-*", "Worker", "a b", "-x", "n0\n"].map((node): [string, object, string] => [
      `on the node ${JSON.stringify(node)}`,
      { nodeName: node },
      "must be the name of a Node",
    ]),
    ["on a node that is a number", { nodeName: 7 }, "nodeName"],
    ["without a class", { storageClassName: "" }, "storageClassName"],
    ["of a class that cannot be", { storageClassName: "My Class" }, "must be the name of a StorageClass"],
    ["made from a text", { template: "x" }, "template"],
    ["with a label that cannot be", { template: { metadata: { labels: { a: "b c" } } } }, "labels"],
    ["with an annotation that is a number", { template: { metadata: { annotations: { a: 1 } } } }, "annotations"],
    ["made from metadata that are none", { template: { metadata: ["x"] } }, "metadata"],
  ])("%s", (_, spec, sentence) => expect(create(spec)).rejects.toThrow(sentence));

  test.each<[object, string]>([
    [{ nodeName: "n1" }, "the node cannot be changed"],
    [{ storageClassName: "other" }, "the class cannot be changed"],
    [{ mode: "Block" }, "the mode cannot be changed"],
    [sparse("20Gi"), "the device cannot be changed"],
    [{ sparseLoopDevice: null, rawBlockDevice: { devicePath: "/dev/sdb" } }, "cannot be changed"],
  ])("whose spec is changed to %j", async (spec, sentence) => {
    await create();
    await expect(change(spec)).rejects.toThrow(sentence);
  });
});

test.each(["1", 1, "10Gi", "1.5Ti", "0.5k", "999999999999999999"])(
  "the API server accepts a Volume of the size %j",
  async (size) => {
    await create(sparse(size));
    expect(await specNow()).toMatchObject({ mode: "Filesystem", ...sparse(size) });
  },
);

test("the template of a Volume may change, and an unknown field is dropped", async () => {
  await create({ unknown: 1 });
  const template = { metadata: { labels: { a: "1" } }, spec: { claimRef: { name: "x" } } };
  await change({ template });
  expect(await specNow()).toEqual({ ...usual, mode: "Filesystem", template });
});
