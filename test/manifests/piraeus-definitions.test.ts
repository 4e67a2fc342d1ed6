import { describe, expect, test } from "vitest";
import { customResourceDefinition } from "../../build/manifests/crd/definition.ts";
import { customKinds } from "../../functions/satellite/lib/schema/custom-kinds.ts";
import { testServer } from "../../local/apiserver/testing/test-server.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const piraeus = "/apis/piraeus.io/v1";

async function installed() {
  const { ask } = testServer();
  for (const kind of customKinds) {
    const { status, json } = await ask("POST", definitions, customResourceDefinition(kind));
    expect(status, JSON.stringify(json)).toBe(201);
  }
  return (plural: string, kind: string, name: string, spec: object) =>
    ask("POST", `${piraeus}/${plural}`, { apiVersion: "piraeus.io/v1", kind, metadata: { name }, spec });
}

type Given = readonly [plural: string, kind: string, name: string, spec: object];
const configuration = (spec: object): Given => [
  "linstorsatelliteconfigurations",
  "LinstorSatelliteConfiguration",
  "c",
  spec,
];
const pool = (more: object) => configuration({ storagePools: [{ name: "pool1", ...more }] });

describe("the generated definitions take what Piraeus' documentation shows, and refuse what it rules out", () => {
  const isTaken = async (object: Given) => {
    const create = await installed();
    const { status, json } = await create(...object);
    expect(status, JSON.stringify(json)).toBe(201);
    expect(json.spec).toEqual(object[3]);
  };
  test("a cluster as it is by default", () => isTaken(["linstorclusters", "LinstorCluster", "linstorcluster", {}]));
  test("a cluster with every wish about Nodes, and parts that others act upon", () =>
    isTaken([
      "linstorclusters",
      "LinstorCluster",
      "linstorcluster",
      {
        nodeSelector: { "node-role.kubernetes.io/linstor": "" },
        nodeAffinity: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: "node-role.kubernetes.io/control-plane", operator: "DoesNotExist" }] },
          ],
        },
        tolerations: [{ key: "node-role.kubernetes.io/control-plane", operator: "Exists" }],
        externalController: { url: "http://linstor.example.com:3370" },
        csiNode: { enabled: true, podTemplate: { spec: { hostNetwork: true } } },
      },
    ]));
  test("the policy that the document names", () => isTaken(configuration({ deletionPolicy: "Evacuate" })));
  test("an empty policy, which is Retain", () => isTaken(configuration({ deletionPolicy: "" })));
  test("pools, properties of the Node and a pod template", () =>
    isTaken(
      configuration({
        nodeSelector: { storage: "yes" },
        storagePools: [
          { name: "thin", lvmThinPool: { volumeGroup: "vg", thinPool: "thin" }, source: { hostDevices: ["/dev/vdb"] } },
          { name: "dir", fileThinPool: { directory: "/srv" } },
        ],
        properties: [
          { name: "Aux/topology/zone", valueFrom: { nodeFieldRef: "metadata.labels['topology.kubernetes.io/zone']" } },
          { name: "PrefNic", value: "default", optional: true },
        ],
        podTemplate: { spec: { initContainers: [{ name: "drbd-module-loader", $patch: "delete" }] } },
      }),
    ));
  test("timeouts of an evacuation", () =>
    isTaken(configuration({ evacuationStrategy: { attachedVolumeReattachTimeout: "1h30m" } })));

  const isRefused = async (object: Given, message: RegExp) => {
    const create = await installed();
    const { status, json } = await create(...object);
    expect([status, json.message]).toEqual([422, expect.stringMatching(message)]);
  };
  test("another policy is refused", () => isRefused(configuration({ deletionPolicy: "Keep" }), /deletionPolicy/));
  test("a policy in small letters is refused", () =>
    isRefused(configuration({ deletionPolicy: "retain" }), /deletionPolicy/));
  test("an operator that there is not is refused", () =>
    isRefused(
      configuration({
        nodeAffinity: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "Near", values: ["a"] }] }] },
      }),
      /operator/,
    ));
  test("a pool of no kind is refused", () => isRefused(pool({}), /exactly one of/));
  test("a pool of two kinds is refused", () => isRefused(pool({ filePool: {}, zfsPool: {} }), /exactly one of/));
  test("two pools of one name is refused", () =>
    isRefused(configuration({ storagePools: [1, 2].map(() => ({ name: "p12", filePool: {} })) }), /p12/));
  test("a duration in words is refused", () =>
    isRefused(configuration({ evacuationStrategy: { attachedVolumeReattachTimeout: "soon" } }), /Timeout/));
  test("a negative number of slots is refused", () =>
    isRefused(["linstorclusters", "LinstorCluster", "c", { maxConcurrentEvacuations: -1 }], /maxConc/));
  test("a satellite without its cluster is refused", () =>
    isRefused(["linstorsatellites", "LinstorSatellite", "n1", {}], /clusterRef/));
});
