import { describe, expect, it } from "vitest";
import type { NodeObject } from "../objects/node.ts";
import type { ClaimObject, VolumeObject } from "../objects/storage.ts";
import { findVolume, mismatch } from "./match-volume.ts";

const claim = (spec: object = {}) =>
  ({
    metadata: { namespace: "default", name: "data", uid: "claim" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      storageClassName: "c",
      ...spec,
    },
  }) as unknown as ClaimObject;
const volume = (name: string, spec: object = {}, rest: object = {}) =>
  ({
    metadata: { name, uid: name, ...(rest as { metadata?: object }).metadata },
    spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, storageClassName: "c", ...spec },
    status: { phase: "Available" },
    ...Object.fromEntries(Object.entries(rest).filter(([key]) => key !== "metadata")),
  }) as unknown as VolumeObject;
const found = (of: ClaimObject, volumes: VolumeObject[], options = {}) =>
  findVolume(of, volumes, options)?.metadata.name;
const reserved = { claimRef: { namespace: "default", name: "data" } };

describe("findVolume", () => {
  it.each<[string, VolumeObject[]]>([
    ["nothing", []],
    ["none of another class", [volume("a", { storageClassName: "d" })]],
    ["none of another mode", [volume("a", { volumeMode: "Block" })]],
    ["none with other access modes", [volume("a", { accessModes: ["ReadOnlyMany"] })]],
    ["none being deleted", [volume("a", {}, { metadata: { deletionTimestamp: "now" } })]],
  ])("takes %s", (_, volumes) => expect(found(claim(), volumes)).toBeUndefined());

  it("leaves all but reserved volumes to the scheduler if the class says so", () => {
    expect(found(claim(), [volume("a")], { reservedOnly: true })).toBeUndefined();
    expect(found(claim(), [volume("a"), volume("b", reserved)], { reservedOnly: true })).toBe("b");
  });

  it("takes only what can be reached from the node", () => {
    const at = (zone: string) => ({
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: [zone] }] }] },
      },
    });
    const node = { metadata: { name: "one", labels: { zone: "a" } } } as unknown as NodeObject;
    expect(found(claim(), [volume("b", at("b")), volume("a", at("a"))], { node })).toBe("a");
    expect(found(claim(), [volume("a", at("a")), volume("r", { ...reserved, ...at("b") })], { node })).toBeUndefined();
  });
});

describe("mismatch", () => {
  it.each([
    [volume("v"), undefined],
    [volume("v", {}, { metadata: { deletionTimestamp: "now" } }), 'the volume is marked for deletion "v"'],
    [volume("v", { capacity: { storage: "1Mi" } }), "requested PV is too small"],
    [volume("v", { storageClassName: "d" }), "storageClassName does not match"],
    [volume("v", { volumeMode: "Block" }), "incompatible volumeMode"],
    [volume("v", { accessModes: ["ReadWriteMany"] }), "incompatible accessMode"],
  ])("says why %#", (candidate, why) => expect(mismatch(candidate, claim())).toBe(why));
});
