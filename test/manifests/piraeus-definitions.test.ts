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
  test.each<[string, Given]>([
    ["a cluster as it is by default", ["linstorclusters", "LinstorCluster", "linstorcluster", {}]],
    [
      "a cluster with every wish about Nodes, and parts that others act upon",
      [
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
      ],
    ],
    ["the policy that the document names", configuration({ deletionPolicy: "Evacuate" })],
    ["an empty policy, which is Retain", configuration({ deletionPolicy: "" })],
    [
      "pools, properties of the Node and a pod template",
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
    ],
    ["timeouts of an evacuation", configuration({ evacuationStrategy: { attachedVolumeReattachTimeout: "1h30m" } })],
  ])("%s", async (_what, object) => {
    const create = await installed();
    const { status, json } = await create(...object);
    expect(status, JSON.stringify(json)).toBe(201);
    expect(json.spec).toEqual(object[3]);
  });

  test.each<[string, Given, RegExp]>([
    ["another policy", configuration({ deletionPolicy: "Keep" }), /deletionPolicy/],
    ["a policy in small letters", configuration({ deletionPolicy: "retain" }), /deletionPolicy/],
    [
      "an operator that there is not",
      configuration({
        nodeAffinity: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "Near", values: ["a"] }] }] },
      }),
      /operator/,
    ],
    ["a pool of no kind", pool({}), /exactly one of/],
    ["a pool of two kinds", pool({ filePool: {}, zfsPool: {} }), /exactly one of/],
    [
      "two pools of one name",
      configuration({ storagePools: [1, 2].map(() => ({ name: "p12", filePool: {} })) }),
      /p12/,
    ],
    [
      "a duration in words",
      configuration({ evacuationStrategy: { attachedVolumeReattachTimeout: "soon" } }),
      /Timeout/,
    ],
    [
      "a negative number of slots",
      ["linstorclusters", "LinstorCluster", "c", { maxConcurrentEvacuations: -1 }],
      /maxConc/,
    ],
    ["a satellite without its cluster", ["linstorsatellites", "LinstorSatellite", "n1", {}], /clusterRef/],
  ])("%s is refused", async (_what, object, message) => {
    const create = await installed();
    const { status, json } = await create(...object);
    expect([status, json.message]).toEqual([422, expect.stringMatching(message)]);
  });
});
