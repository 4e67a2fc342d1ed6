import { describe, expect, test } from "vitest";
import {
  marksFor,
  marksOn,
  nodeNameProblem,
  type PersistentVolumeObject,
  resourceOf,
  type VolumeAttachmentObject,
  volumeFacts,
} from "./volumes.ts";

const driver = "linstor.csi.linbit.com";
const pv = (spec: object = {}, metadata: object = {}, phase = "Bound"): PersistentVolumeObject => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name: "pv-1", uid: "u", resourceVersion: "1", ...metadata },
  spec: { csi: { driver, volumeHandle: "pvc-1" }, claimRef: { name: "c" }, ...spec },
  status: { phase },
});
const attachment = (
  nodeName: string,
  more: { attacher?: string; attached?: boolean; volume?: string } = {},
): VolumeAttachmentObject => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "VolumeAttachment",
  metadata: { name: `csi-${nodeName}`, uid: nodeName, resourceVersion: "1" },
  spec: { attacher: more.attacher ?? driver, nodeName, source: { persistentVolumeName: more.volume ?? "pv-1" } },
  status: { attached: more.attached ?? true },
});
const nodes = ["a", "b"].map((name) => ({ name, labels: { "linbit.com/hostname": name } }));
const onlyOn = (...values: string[]) => ({
  nodeAffinity: {
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "linbit.com/hostname", operator: "In", values }] }] },
  },
});
const context = (policy: string) => ({
  csi: {
    driver,
    volumeHandle: "pvc-1",
    volumeAttributes: { [`${driver}/uses-volume-context`]: "true", [`${driver}/remote-access-policy`]: policy },
  },
});
const of = (volume: PersistentVolumeObject, attachments: VolumeAttachmentObject[] = []) =>
  volumeFacts(volume, attachments, "a", nodes);

describe("what is known of a volume", () => {
  test.each<[string, VolumeAttachmentObject[], here: boolean, elsewhere: boolean]>([
    ["attached here", [attachment("a")], true, false],
    ["about to be attached here", [attachment("a", { attached: false })], true, false],
    ["attached elsewhere", [attachment("b")], false, true],
    ["about to be attached elsewhere", [attachment("b", { attached: false })], false, false],
    ["attached to both", [attachment("a"), attachment("b")], true, true],
    ["attached by another driver", [attachment("a", { attacher: "other" })], false, false],
    ["another volume's", [attachment("a", { volume: "pv-2" })], false, false],
  ])("%s", (_what, attachments, here, elsewhere) => expect(of(pv(), attachments)).toMatchObject({ here, elsewhere }));

  test.each<[string, PersistentVolumeObject, object]>([
    ["bound to this node", pv(onlyOn("a")), { attachableElsewhere: false }],
    ["bound to two", pv(onlyOn("a", "b")), { attachableElsewhere: true }],
    ["bound to a node that is no more", pv(onlyOn("z")), { attachableElsewhere: false }],
    ["bound to none", pv(), { attachableElsewhere: true }],
    ["local by its own policy", pv(context("false")), { localOnly: true }],
    ["remote by its own policy", pv(context("true")), { localOnly: false }],
    ["released", pv({}, {}, "Released"), { leaving: true }],
    ["being deleted", pv({}, { deletionTimestamp: "2026-01-01T00:00:00Z" }), { leaving: true }],
    ["bound to a claim", pv(), { leaving: false }],
  ])("%s", (_what, volume, expected) => expect(of(volume)).toMatchObject(expected));

  test("marks count for their own Node alone, and only as true", () => {
    const own = marksFor("a");
    const marked = (annotations: Record<string, string>) => of(pv({}, { annotations }));
    expect(marked({ [own.waits]: "true", [own.override]: "true", [own.since]: "2026-01-01T00:00:00Z" })).toMatchObject({
      waits: true,
      overridden: true,
      waitsSince: Date.parse("2026-01-01T00:00:00Z"),
    });
    expect(marked({ [own.waits]: "false", [own.since]: "soon" })).toMatchObject({ waits: false, marked: true });
    expect(marked({ [own.since]: "soon" }).waitsSince).toBeUndefined();
    expect(marked({ [marksFor("ba").waits]: "true", [marksFor("a.b").override]: "true" })).toMatchObject({
      marked: false,
    });
  });

  test("a handle may carry a volume number, and other drivers' volumes have no resource", () => {
    const handle = (volumeHandle: string, name = driver) => resourceOf(pv({ csi: { driver: name, volumeHandle } }));
    expect([handle("pvc-1"), handle("pvc-1/0"), handle("x", "other")]).toEqual(["pvc-1", "pvc-1", undefined]);
  });
});

test("the annotations of one Node are found among those of others", () => {
  const annotations = { "override.piraeus.io/a": "true", "override.piraeus.io/a.b": "true", other: "x" };
  expect(marksOn(annotations, "a")).toEqual(["override.piraeus.io/a"]);
  expect(marksOn(undefined, "a")).toEqual([]);
});

test.each([
  ["node-1", undefined],
  ["ip-10-0-0-1.eu-west-1.compute.internal", undefined],
  ["a".repeat(63), undefined],
  ["a".repeat(64), /64 characters.*retained or deleted, not evacuated/],
])("the Node's name %s", (name, problem) => {
  if (problem) expect(nodeNameProblem(name)).toMatch(problem);
  else expect(nodeNameProblem(name)).toBeUndefined();
});
