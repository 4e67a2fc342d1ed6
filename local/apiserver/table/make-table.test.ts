import { describe, expect, test } from "vitest";
import type { Fields } from "../../../shared/kubernetes/fields.ts";
import { resource } from "../fixtures/resource.ts";
import type { Resource } from "../resource.ts";
import { type IncludeObject, toTable } from "./make-table.ts";

// The cells are those that kube-apiserver 1.36.3 answered for the same objects.
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

describe("pods", () => {
  const status = (name: string, more: Fields) => ({ name, ready: false, restartCount: 0, ...more });
  const container = (more: Fields) => ({ containerStatuses: [status("c", more)] });
  const init = (...statuses: Fields[]) => ({ phase: "Pending", initContainerStatuses: statuses });
  const running = { ready: true, state: { running: {} } };
  const inits = { initContainers: [{ name: "a" }, { name: "b" }] };
  const deleted = { deletionTimestamp: created };
  const cases: [string, Fields, Fields, Fields, [ready: string, status: string, restarts: string]][] = [
    ["pending", {}, { phase: "Pending" }, {}, ["0/1", "Pending", "0"]],
    [
      "running, restarted",
      {},
      {
        phase: "Running",
        ...container({ ...running, restartCount: 3, lastState: { terminated: { finishedAt: yesterday } } }),
      },
      {},
      ["1/1", "Running", "3 (30h ago)"],
    ],
    [
      "crash loop",
      {},
      { phase: "Running", ...container({ state: { waiting: { reason: "CrashLoopBackOff" } }, restartCount: 7 }) },
      {},
      ["0/1", "CrashLoopBackOff", "7"],
    ],
    [
      "finished",
      {},
      { phase: "Succeeded", ...container({ state: { terminated: { exitCode: 0, reason: "Completed" } } }) },
      {},
      ["0/1", "Completed", "0"],
    ],
    [
      "exit code",
      {},
      { phase: "Failed", ...container({ state: { terminated: { exitCode: 3 } } }) },
      {},
      ["0/1", "ExitCode:3", "0"],
    ],
    [
      "signal",
      {},
      { phase: "Failed", ...container({ state: { terminated: { exitCode: 3, signal: 9 } } }) },
      {},
      ["0/1", "Signal:9", "0"],
    ],
    ["evicted", {}, { phase: "Failed", reason: "Evicted" }, {}, ["0/1", "Evicted", "0"]],
    [
      "initializing",
      inits,
      init(
        status("a", { state: { terminated: { exitCode: 0 } } }),
        status("b", { state: { waiting: { reason: "PodInitializing" } } }),
      ),
      {},
      ["0/1", "Init:1/2", "0"],
    ],
    [
      "init failed",
      inits,
      init(status("a", { restartCount: 2, state: { terminated: { exitCode: 4, reason: "Error" } } })),
      {},
      ["0/1", "Init:Error", "2"],
    ],
    [
      "init waiting",
      inits,
      init(status("a", { state: { waiting: { reason: "ImagePullBackOff" } } })),
      {},
      ["0/1", "Init:ImagePullBackOff", "0"],
    ],
    [
      "with a sidecar",
      { initContainers: [{ name: "a", restartPolicy: "Always" }] },
      {
        phase: "Running",
        initContainerStatuses: [status("a", { ...running, started: true, restartCount: 2 })],
        ...container(running),
      },
      {},
      ["2/2", "Running", "2"],
    ],
    [
      "one container done, one running",
      { containers: [{ name: "c" }, { name: "d" }] },
      {
        phase: "Running",
        containerStatuses: [
          status("c", { state: { terminated: { reason: "Completed", exitCode: 0 } } }),
          status("d", running),
        ],
      },
      {},
      ["1/2", "NotReady", "0"],
    ],
    [
      "gated",
      {},
      { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }] },
      {},
      ["0/1", "SchedulingGated", "0"],
    ],
    ["being deleted", {}, { phase: "Running", ...container(running) }, deleted, ["1/1", "Terminating", "0"]],
    [
      "being deleted, finished",
      {},
      { phase: "Succeeded", ...container({ state: { terminated: { exitCode: 0, reason: "Completed" } } }) },
      deleted,
      ["0/1", "Completed", "0"],
    ],
    ["being deleted, node lost", {}, { phase: "Running", reason: "NodeLost" }, deleted, ["0/1", "Unknown", "0"]],
  ];
  for (const [name, spec, status, metadata, expected] of cases) {
    test(name, () => {
      const pod = { spec: { containers: [{ name: "c" }], ...spec }, status };
      expect(cells(resource("v1", "Pod"), pod, metadata)?.slice(0, 5)).toEqual(["x", ...expected, "27s"]);
    });
  }
  test("wide", () => {
    const spec = {
      nodeName: "n",
      containers: [],
      readinessGates: [{ conditionType: "a/b" }, { conditionType: "c/d" }],
    };
    const status = { podIPs: [{ ip: "1.2.3.4" }], conditions: [{ type: "a/b", status: "True" }] };
    expect(cells(resource("v1", "Pod"), { spec, status })?.slice(5)).toEqual(["1.2.3.4", "n", "<none>", "1/2"]);
  });
});

describe("storage", () => {
  const claim = resource("v1", "PersistentVolumeClaim");
  const spec = { accessModes: ["ReadWriteOnce"], storageClassName: "standard", volumeMode: "Filesystem" };
  const bound = { phase: "Bound", capacity: { storage: "1Gi" }, accessModes: ["ReadWriteMany", "ReadWriteOnce"] };

  test("a claim", () => {
    expect(cells(claim, { spec: { ...spec, volumeName: "pv" }, status: bound })).toEqual([
      "x",
      "Bound",
      "pv",
      "1Gi",
      "RWO,RWX",
      "standard",
      "<unset>",
      "27s",
      "Filesystem",
    ]);
    expect(cells(claim, { spec, status: { phase: "Pending" } })?.slice(1, 5)).toEqual(["Pending", "", "", ""]);
    expect(cells(claim, { spec: { volumeName: "nope" }, status: { phase: "Pending" } })?.slice(1, 5)).toEqual([
      "Pending",
      "nope",
      "0",
      "",
    ]);
  });
  test("a claim being deleted is Terminating", () =>
    expect(cells(claim, { spec, status: bound }, { deletionTimestamp: created })?.[1]).toBe("Terminating"));
  test("a volume", () => {
    const volume = {
      capacity: { storage: "2Gi" },
      accessModes: ["ReadOnlyMany"],
      persistentVolumeReclaimPolicy: "Retain",
      claimRef: { namespace: "n", name: "c" },
    };
    expect(cells(resource("v1", "PersistentVolume"), { spec: volume, status: { phase: "Released" } })).toEqual([
      "x",
      "2Gi",
      "ROX",
      "Retain",
      "Released",
      "n/c",
      "",
      "<unset>",
      "",
      "27s",
      "<unset>",
    ]);
  });
  test("a class", () => {
    const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
    expect(cells(resource("storage.k8s.io/v1", "StorageClass"), { provisioner: "p" }, { annotations })).toEqual([
      "x (default)",
      "p",
      "Delete",
      "Immediate",
      false,
      "27s",
    ]);
  });
  test("an attachment", () =>
    expect(
      cells(resource("storage.k8s.io/v1", "VolumeAttachment"), {
        spec: { attacher: "a", nodeName: "n", source: { persistentVolumeName: "p" } },
      }),
    ).toEqual(["x", "a", "p", "n", false, "27s"]));
});

describe("others", () => {
  const template = {
    spec: {
      containers: [
        { name: "c", image: "i" },
        { name: "d", image: "j" },
      ],
    },
  };
  const expressions = [
    { key: "app", operator: "In", values: ["y", "x"] },
    { key: "zz", operator: "DoesNotExist" },
    { key: "b", operator: "NotIn", values: ["q"] },
  ];
  const nodeInfo = { kernelVersion: "6", architecture: "amd64", kubeletVersion: "v1" };
  const event = {
    type: "Warning",
    reason: "R",
    count: 4,
    firstTimestamp: yesterday,
    lastTimestamp: yesterday,
    message: "  m ",
  };
  const cases: [string, Resource, Fields, unknown[]][] = [
    [
      "statefulset",
      resource("apps/v1", "StatefulSet"),
      { spec: { replicas: 2, template }, status: { readyReplicas: 1 } },
      ["x", "1/2", "27s", "c,d", "i,j"],
    ],
    [
      "deployment",
      resource("apps/v1", "Deployment"),
      {
        spec: { replicas: 2, template, selector: { matchLabels: { app: "x" }, matchExpressions: expressions } },
        status: { updatedReplicas: 2 },
      },
      ["x", "0/2", 2, 0, "27s", "c,d", "i,j", "app=x,app in (x,y),b notin (q),!zz"],
    ],
    [
      "node",
      resource("v1", "Node"),
      {
        spec: { unschedulable: true },
        status: {
          conditions: [{ type: "Ready", status: "True" }],
          nodeInfo,
          addresses: [{ type: "InternalIP", address: "1.1.1.1" }],
        },
      },
      [
        "x",
        "Ready,SchedulingDisabled",
        "<none>",
        "27s",
        "v1",
        "1.1.1.1",
        "<none>",
        "<unknown>",
        "6 (amd64)",
        "<unknown>",
      ],
    ],
    ["namespace", resource("v1", "Namespace"), { status: { phase: "Active" } }, ["x", "Active", "27s"]],
    ["config map", resource("v1", "ConfigMap"), { data: { a: "1" }, binaryData: { b: "" } }, ["x", 2, "27s"]],
    ["secret", resource("v1", "Secret"), { type: "Opaque", data: { a: "" } }, ["x", "Opaque", 1, "27s"]],
    [
      "service",
      resource("v1", "Service"),
      {
        spec: {
          type: "NodePort",
          clusterIPs: ["10.0.0.1"],
          ports: [
            { port: 80, nodePort: 31, protocol: "TCP" },
            { port: 81, protocol: "UDP" },
          ],
          selector: { c: "d", a: "b" },
        },
      },
      ["x", "NodePort", "10.0.0.1", "<none>", "80:31/TCP,81/UDP", "27s", "a=b,c=d"],
    ],
    [
      "binding",
      resource("rbac.authorization.k8s.io/v1", "RoleBinding"),
      {
        roleRef: { kind: "Role", name: "r" },
        subjects: [
          { kind: "User", name: "u" },
          { kind: "User", name: "v" },
          { kind: "ServiceAccount", namespace: "n", name: "s" },
        ],
      },
      ["x", "Role/r", "27s", "u, v", "", "n/s"],
    ],
    ["role", resource("rbac.authorization.k8s.io/v1", "Role"), {}, ["x", created]],
    ["lease", resource("coordination.k8s.io/v1", "Lease"), { spec: { holderIdentity: "h" } }, ["x", "h", "27s"]],
    [
      "event",
      resource("v1", "Event"),
      {
        ...event,
        involvedObject: { kind: "Pod", name: "p", fieldPath: "spec.x" },
        source: { component: "c", host: "h" },
      },
      ["30h", "Warning", "R", "pod/p", "spec.x", "c, h", "m", "30h", 4, "x"],
    ],
    [
      "event of events.k8s.io",
      resource("events.k8s.io/v1", "Event"),
      {
        regarding: { kind: "Pod", name: "p" },
        reportingController: "x.y/c",
        reportingInstance: "i",
        note: "n",
        eventTime: yesterday,
        type: "Normal",
        reason: "Q",
      },
      ["30h", "Normal", "Q", "pod/p", "", "x.y/c, i", "n", "30h", 1, "x"],
    ],
  ];
  for (const [name, of, object, expected] of cases) test(name, () => expect(cells(of, object)).toEqual(expected));
});

describe("custom resources", () => {
  const columns = [
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
