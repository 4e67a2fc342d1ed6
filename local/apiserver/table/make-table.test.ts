import { describe, expect, test } from "vitest";
import type { Column } from "../../../shared/kubernetes/custom-kind.ts";
import type { Fields } from "../../../shared/kubernetes/fields.ts";
import type { Resource } from "../resource.ts";
import { resource } from "../testing/resource.ts";
import { type IncludeObject, toTable } from "./make-table.ts";

const now = Date.parse("2026-01-02T06:00:00Z");
const created = "2026-01-02T05:59:33Z";
const yesterday = "2026-01-01T00:00:00Z";
interface Table {
  columnDefinitions: { name: string; priority: number }[];
  rows: { cells: unknown[]; object: unknown }[];
  metadata: Fields;
}
const table = (of: Resource, object: Fields, include?: IncludeObject) =>
  toTable(of, object, now, include) as unknown as Table;
const cells = (of: Resource, fields: Fields, metadata: Fields = {}) =>
  table(of, { ...fields, metadata: { name: "x", creationTimestamp: created, ...metadata } }).rows[0]?.cells;

describe("built-in kinds", () => {
  const running = { ready: true, restartCount: 2, state: { running: {} } };
  const spec = { containers: [{ name: "c" }], nodeName: "n" };
  const waiting = { phase: "Pending", containerStatuses: [{ state: { waiting: { reason: "ImagePullBackOff" } } }] };
  const finished = { phase: "Failed", containerStatuses: [{ state: { terminated: { reason: "Error" } } }] };
  test.each<[string, Fields, Fields, unknown[]]>([
    ["runs", { phase: "Running", containerStatuses: [running] }, {}, ["1/1", "Running", 2]],
    ["waits", waiting, {}, ["0/1", "ImagePullBackOff", 0]],
    ["is being deleted", { phase: "Running" }, { deletionTimestamp: created }, ["0/1", "Terminating", 0]],
    ["is over and being deleted", finished, { deletionTimestamp: created }, ["0/1", "Error", 0]],
    ["was evicted", { phase: "Failed", reason: "Evicted" }, {}, ["0/1", "Evicted", 0]],
  ])("a pod that %s", (_, status, metadata, expected) => {
    expect(cells(resource("v1", "Pod"), { spec, status }, metadata)).toEqual(["x", ...expected, "27s", "n"]);
  });

  const modes = ["ReadWriteMany", "ReadWriteOnce"];
  const claim = {
    spec: { volumeName: "pv", storageClassName: "standard" },
    status: { phase: "Bound", capacity: { storage: "1Gi" }, accessModes: modes },
  };
  const claimRef = { namespace: "n", name: "c" };
  const volume = {
    capacity: { storage: "2Gi" },
    accessModes: ["ReadOnlyMany"],
    persistentVolumeReclaimPolicy: "Retain",
  };
  const event = { type: "Warning", reason: "R", lastTimestamp: yesterday, message: "  m " };
  const involvedObject = { kind: "Pod", name: "p" };
  test.each<[string, string, Fields, unknown[]]>([
    ["PersistentVolumeClaim", "v1", claim, ["Bound", "pv", "1Gi", "RWX,RWO", "standard", "27s"]],
    [
      "PersistentVolume",
      "v1",
      { spec: { ...volume, claimRef, storageClassName: "s" }, status: { phase: "Released" } },
      ["2Gi", "ROX", "Retain", "Released", "n/c", "s", "27s"],
    ],
    ["StatefulSet", "apps/v1", { spec: { replicas: 2 }, status: { readyReplicas: 1 } }, ["1/2", "27s"]],
    ["Event", "v1", { ...event, involvedObject }, ["30h", "Warning", "R", "pod/p", "m"]],
    ["Event", "events.k8s.io/v1", { ...event, regarding: involvedObject }, ["30h", "Warning", "R", "pod/p", "m"]],
    [
      "Node",
      "v1",
      { spec: { unschedulable: true }, status: { conditions: [{ type: "Ready", status: "True" }] } },
      ["Ready,SchedulingDisabled", "27s", null],
    ],
    ["Service", "v1", {}, ["27s"]],
  ])("%s of %s", (kind, apiVersion, object, expected) =>
    expect(cells(resource(apiVersion, kind), object)).toEqual(["x", ...expected]),
  );
});

test("the name of an Event is shown with -o wide alone, that of everything else always", () => {
  const priority = (kind: string) => table(resource("v1", kind), { metadata: {} }).columnDefinitions[0]?.priority;
  expect([priority("Event"), priority("Pod")]).toEqual([1, 0]);
});

describe("custom resources", () => {
  const columns: Column[] = [
    { name: "Size", type: "integer", jsonPath: ".spec.size" },
    { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: "When", type: "date", jsonPath: ".spec.when", priority: 1 },
    { name: "Note", type: "string", jsonPath: ".metadata.annotations.example\\.org/note" },
  ];
  const thing = (printerColumns?: typeof columns) =>
    resource("example.org/v1", "Thing", { custom: { schema: {}, ...(printerColumns ? { printerColumns } : {}) } });

  test("have the columns of their definition", () => {
    const status = {
      conditions: [
        { type: "X", status: "No" },
        { type: "Ready", status: "Yes" },
      ],
    };
    const annotations = { "example.org/note": "n" };
    expect(cells(thing(columns), { spec: { size: 3, when: yesterday }, status }, { annotations })).toEqual([
      "x",
      3,
      "Yes",
      "30h",
      "n",
    ]);
    expect(cells(thing(columns), { spec: { size: "3", when: "soon" } })).toEqual(["x", null, null, "<invalid>", null]);
  });
  test("or their age", () => {
    expect(table(thing(), { metadata: {} }).columnDefinitions.map(({ name }) => name)).toEqual(["Name", "Age"]);
    expect(cells(thing(), {})).toEqual(["x", "27s"]);
  });
});

describe("a table", () => {
  const map = { metadata: { name: "x", resourceVersion: "7" }, data: {} };
  test("carries metadata, the object, or nothing", () => {
    expect(table(resource("v1", "ConfigMap"), map).rows[0]?.object).toEqual({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: map.metadata,
    });
    expect(table(resource("v1", "ConfigMap"), map, "Object").rows[0]?.object).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      ...map,
    });
    expect(table(resource("v1", "ConfigMap"), map, "None").rows[0]?.object).toBeNull();
  });
  test("of a list says where it goes on", () => {
    const metadata = { resourceVersion: "9", continue: "abc", remainingItemCount: 3 };
    const list = table(resource("v1", "ConfigMap"), { kind: "ConfigMapList", metadata, items: [map, map] });
    expect(list.metadata).toEqual(metadata);
    expect(list.rows).toHaveLength(2);
  });
});
