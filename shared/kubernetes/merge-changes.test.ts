import { describe, expect, test } from "vitest";
import { PersistentVolume } from "./kind.ts";
import { mergeChanges } from "./merge-changes.ts";
import type { KubernetesObject } from "./object.ts";

const metadata = { name: "pv", uid: "u", resourceVersion: "7", annotations: { a: "1", b: "2" } };
const volume: KubernetesObject = {
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata,
  spec: { policy: "Delete", claimRef: { name: "data", uid: "c" } },
};
const patchOf = (wanted: Parameters<typeof mergeChanges>[2]) =>
  mergeChanges(PersistentVolume, volume, wanted).map((write) => write.verb === "patch" && write.patch);
const guards = { uid: "u", resourceVersion: "7" };

describe("mergeChanges", () => {
  test("writes what the object does not say yet, and that alone, guarded by what was read", () => {
    const wanted = {
      annotations: { a: "1", b: null, c: null },
      labels: { l: "x" },
      spec: { policy: "Delete", claimRef: { uid: null, name: "data" } },
    };
    expect(patchOf(wanted)).toEqual([
      { metadata: { ...guards, annotations: { b: null }, labels: { l: "x" } }, spec: { claimRef: { uid: null } } },
    ]);
  });

  test.each([
    { what: "nothing is wanted", wanted: {} },
    { what: "all is so already", wanted: { annotations: { a: "1" }, spec: { policy: "Delete" } } },
    { what: "what is to go is not there", wanted: { labels: { l: null }, spec: { other: { uid: null } } } },
  ])("writes nothing where $what", ({ wanted }) => expect(patchOf(wanted)).toEqual([]));
});
