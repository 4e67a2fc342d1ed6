import { describe, expect, test } from "vitest";
import { type Draft, emptyDraft, manifestsOf, problemsIn } from "./draft.ts";

const good: Draft = { ...emptyDraft, name: "data-1", nodeName: "n1", storageClassName: "metalk8s" };

const size = "sparseLoopDevice.size";

describe("what is wrong with a draft", () => {
  test.each<[string, Partial<Draft>, readonly string[]]>([
    ["nothing", {}, []],
    ["a name with capitals", { name: "Data" }, ["name"]],
    ["no node", { nodeName: "" }, ["nodeName"]],
    ["a node that is no name", { nodeName: "a b" }, ["nodeName"]],
    ["a size that is none", { size: "much" }, [size]],
    ["a size of zero", { size: "0Gi" }, [size]],
    ["a size with a unit that no device has", { size: "1Ei" }, [size]],
    ["a device", { type: "rawBlockDevice", devicePath: "/dev/sdb" }, []],
    ["a device elsewhere", { type: "rawBlockDevice", devicePath: "/dev/../etc" }, ["rawBlockDevice.devicePath"]],
    ["a logical volume", { type: "lvmLogicalVolume", vgName: "vg" }, []],
    ["a volume group that is none", { type: "lvmLogicalVolume", vgName: ".." }, ["lvmLogicalVolume.vgName"]],
    ["a label that is none", { labels: "a=b c=%" }, ["template.metadata.labels.c"]],
    ["a size, before a class is chosen", { size: "much", storageClassName: "" }, ["storageClassName", size]],
    ["several with one name", { count: 2 }, ["name"]],
    ["several", { count: 3, name: "data-{n}" }, []],
    ["several on one device", { count: 2, name: "d-{n}", type: "rawBlockDevice", devicePath: "/dev/sdb" }, ["count"]],
    ["too many", { count: 51, name: "data-{n}" }, ["count"]],
  ])("%s", (_, changes, fields) => {
    expect(problemsIn({ ...good, ...changes }).map(({ field }) => field)).toEqual(fields);
  });
});

test("several Volumes differ by their numbers alone", () => {
  const made = manifestsOf({ ...good, name: "data-{n}", count: 2, labels: "disk=slow" });
  expect(made.map(({ name }) => name)).toEqual(["data-1", "data-2"]);
  expect(made[0]?.object).toEqual({
    apiVersion: "storage.metalk8s.scality.com/v1alpha1",
    kind: "Volume",
    metadata: { name: "data-1" },
    spec: {
      nodeName: "n1",
      storageClassName: "metalk8s",
      mode: "Filesystem",
      template: { metadata: { labels: { disk: "slow" } } },
      sparseLoopDevice: { size: "10Gi" },
    },
  });
});
