import { describe, expect, test } from "vitest";
import { type Kind, Node } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { LinstorCluster, LinstorSatellite, LinstorSatelliteConfiguration } from "../lib/kinds.ts";
import type { LinstorSatelliteConfigurationSpec } from "../lib/schema/resources.ts";
import { aSatellite, hintOf, now } from "../lib/testing/seen.ts";
import { configure, type Facts } from "./rule.ts";

type Spec = Record<string, unknown>;
const object = (kind: { apiVersion: string; kind: string }, name: string, rest: object): KubernetesObject => ({
  apiVersion: kind.apiVersion,
  kind: kind.kind,
  metadata: { name, uid: `uid-of-${name}`, resourceVersion: "3", generation: 4 },
  ...rest,
});
const node = (labels: Record<string, string> = { zone: "a" }, spec: object = {}) => ({
  ...object(Node, "node-1", { spec }),
  metadata: { name: "node-1", uid: "n1", resourceVersion: "1", labels },
});
const configuration = (name: string, spec: Spec, more: object = {}) =>
  object(LinstorSatelliteConfiguration, name, { spec: spec as LinstorSatelliteConfigurationSpec, ...more });
const ownerReferences = [
  { apiVersion: "piraeus.io/v1", kind: "LinstorCluster", name: "c", uid: "uid-of-c", controller: true },
];
const satellite = (spec: Spec = {}, metadata: object = {}) => ({
  ...aSatellite({ deleting: false, record: false, metadata: { ownerReferences, ...metadata } }),
  spec: { clusterRef: { name: "c" }, deletionPolicy: "Retain", ...spec } as never,
});
const cluster = (spec: object = {}) => object(LinstorCluster, "c", { spec });

function decide(configurations: Facts["configurations"], more: Partial<Facts & { placed: object }> = {}) {
  const placed = { satellite: satellite(), node: node(), ...more.placed };
  const facts = { satellites: [placed], clusters: [cluster()], configurations, all: true, ...more };
  return configure.decide(facts as Facts, now, {});
}
const patchOf = (decision: ReturnType<typeof decide>[number] | undefined) =>
  decision?.do === "write" && decision.writes[0]?.verb === "patch" ? decision.writes[0].patch : undefined;

describe("a satellite that there is", () => {
  test("gets what its configurations come to, guarded, and names them", () => {
    const [decision] = decide([
      configuration("01-zone-a", { nodeSelector: { zone: "a" }, deletionPolicy: "Evacuate" }),
      configuration("00-all", { properties: [{ name: "Aux/x", value: "y" }] }),
      configuration("02-zone-b", { nodeSelector: { zone: "b" }, deletionPolicy: "Delete" }),
    ]);
    expect(patchOf(decision)).toEqual({
      metadata: {
        uid: "u1",
        resourceVersion: "7",
        annotations: { "piraeus.io/applied-configurations": "00-all,01-zone-a" },
      },
      spec: { deletionPolicy: "Evacuate", properties: [{ name: "Aux/x", value: "y" }] },
    });
  });

  test("loses what no configuration says any more, and keeps what Holdfast does not know", () => {
    const spec = {
      deletionPolicy: "Evacuate",
      storagePools: [{ name: "old", filePool: {} }],
      internalTLS: { secretName: "s", tlsHandshakeDaemon: true },
      clusterRef: { name: "c", externalController: { url: "http://l" } },
      unknownField: { stays: true },
    };
    const [decision] = decide([configuration("a", { internalTLS: { secretName: "s" } })], {
      placed: { satellite: satellite(spec), node: node() },
    });
    expect(patchOf(decision)).toMatchObject({
      spec: {
        deletionPolicy: "Retain",
        storagePools: null,
        internalTLS: { tlsHandshakeDaemon: null },
        clusterRef: { externalController: null },
      },
    });
    expect(JSON.stringify(patchOf(decision))).not.toContain("unknownField");
  });

  test("follows the LinstorCluster, too", () => {
    const [decision] = decide([], { clusters: [cluster({ externalController: { url: "http://l:3370" } })] as never });
    expect(patchOf(decision)).toMatchObject({ spec: { clusterRef: { externalController: { url: "http://l:3370" } } } });
  });

  test("is not written when nothing changes", () => {
    const annotations = { "piraeus.io/applied-configurations": "" };
    const [decision] = decide([], { placed: { satellite: satellite({}, { annotations }), node: node() } });
    expect(decision?.do).toBe("leave");
  });

  const evacuates = configuration("a", { nodeSelector: { storage: "yes" }, deletionPolicy: "Evacuate" });
  const labelled = cluster({ nodeSelector: { storage: "yes" } });
  const keeps = (facts: Partial<Facts>, placed: object) => {
    const before = satellite({ deletionPolicy: "Evacuate" });
    const [decision] = decide([evacuates], { ...facts, placed: { satellite: before, node: node(), ...placed } });
    expect(decision?.do).toBe("leave");
  };
  test("keeps what it has when the Node is gone", () => keeps({}, { node: undefined }));
  test("keeps what it has when the Node lost the label that selects both it and its policy", () =>
    keeps({ clusters: [labelled] as never }, { node: node({}) }));
  test("keeps what it has when the Node has a taint that removes its satellite", () =>
    keeps({}, { node: node({}, { taints: [{ key: "t", effect: "NoExecute" }] }) }));
  test("keeps what it has when a person has made it by hand", () =>
    keeps({}, { satellite: satellite({}, { ownerReferences: [] }) }));
  test("keeps what it has when piraeus-operator writes it", () =>
    keeps(
      {},
      {
        satellite: satellite({}, { managedFields: [{ manager: "piraeus.io/operator", time: "2026-01-01T00:00:00Z" }] }),
      },
    ));
});

describe("a configuration's status", () => {
  test("says to which satellites it applies, once", () => {
    const one = configuration("a", { nodeSelector: { zone: "a" } });
    const [, decision] = decide([one]);
    const patch = patchOf(decision) as { status: object };
    expect(patch.status).toMatchObject({
      appliedTo: ["node-1"],
      matched: 1,
      conditions: [{ type: "Applied", status: "True", reason: "AsExpected", observedGeneration: 4 }],
    });
    expect(decide([{ ...one, status: patch.status }])[1]?.do).toBe("leave");
  });

  const term = (requirement: object) => ({
    nodeAffinity: { nodeSelectorTerms: [{ matchExpressions: [requirement] }] },
  });
  const field = (requirement: object) => ({ nodeAffinity: { nodeSelectorTerms: [{ matchFields: [requirement] }] } });
  const pool = (more: object) => ({ storagePools: [{ name: "pool1", ...more }] });
  test.each<[string, Spec, RegExp]>([
    ["no terms", { nodeAffinity: { nodeSelectorTerms: [] } }, /no nodeSelectorTerms/],
    ["an operator that there is not", term({ key: "k", operator: "Near", values: ["a"] }), /operator Near/],
    ["In without values", term({ key: "k", operator: "In" }), /without values/],
    ["Exists with values", term({ key: "k", operator: "Exists", values: ["a"] }), /with values/],
    ["Gt with words", term({ key: "k", operator: "Gt", values: ["many"] }), /whole number/],
    ["a field that Nodes cannot be selected by", field({ key: "spec.x", operator: "In", values: ["a"] }), /spec\.x/],
    ["a field by Exists", field({ key: "metadata.name", operator: "Exists" }), /metadata\.name/],
    ["a policy that there is not", { deletionPolicy: "Keep" }, /Keep is none of/],
    [
      "a path that is none",
      { properties: [{ name: "p", valueFrom: { nodeFieldRef: "metadata..x" } }] },
      /metadata\.\.x/,
    ],
    ["a pool's name", { storagePools: [{ name: "a pool", filePool: {} }] }, /a pool has a name/],
    ["a pool of two kinds", pool({ filePool: {}, zfsPool: {} }), /exactly one kind/],
    ["a volume group", pool({ lvmPool: { volumeGroup: "../vg" } }), /\.\.\/vg/],
    ["a directory with dots", pool({ filePool: { directory: "/srv/../etc" } }), /\/srv\/\.\.\/etc/],
    ["a relative directory", pool({ fileThinPool: { directory: "srv" } }), /directory srv/],
    ["a device elsewhere", pool({ lvmPool: {}, source: { hostDevices: ["/tmp/x"] } }), /\/tmp\/x/],
    ["a device twice", pool({ lvmPool: {}, source: { hostDevices: ["/dev/vdb", "/dev/vdb"] } }), /\/dev\/vdb twice/],
    ["files of devices", pool({ filePool: {}, source: { hostDevices: ["/dev/vdb"] } }), /cannot be made of devices/],
    [
      "a property of a pool",
      pool({ zfsPool: {}, properties: [{ name: "p", valueFrom: { nodeFieldRef: "[" } }] }),
      /p asks/,
    ],
    ["a duration", { evacuationStrategy: { attachedVolumeReattachTimeout: "soon" } }, /no duration/],
  ])("%s: it says what to mend, and no satellite that it may be meant for changes", (_what, spec, message) => {
    const good = configuration("b", { deletionPolicy: "Delete" });
    const [decision, status] = decide([configuration("a", spec), good]);
    expect(decision).toMatchObject({ do: "leave", message: expect.stringContaining("until") });
    expect(patchOf(status)).toMatchObject({
      status: { conditions: [{ status: "False", reason: "Error", message: expect.stringMatching(message) }] },
    });
  });

  test("a faulty configuration for other Nodes stops nothing", () => {
    const [decision] = decide([configuration("a", { nodeSelector: { zone: "b" }, deletionPolicy: "Keep" })]);
    expect(decision?.do).toBe("write");
  });
});

test("one satellite is looked at for its own event, and all for others", () => {
  const names = [
    hintOf(LinstorSatellite, "update", "node-1"),
    hintOf(LinstorSatellite, "add", "node-2"),
    hintOf(LinstorSatellite, "delete", "node-2"),
    hintOf(LinstorSatelliteConfiguration, "delete", "a"),
    hintOf(LinstorCluster, "update", "c"),
  ].map((hint) => configure.subjects(hint, {})[0]?.name);
  expect(names).toEqual(["node-1", "node-2", undefined, undefined, undefined]);
});

test.each([
  ["one satellite", { kind: LinstorSatellite, name: "node-1" }],
  ["all of them", { kind: LinstorSatellite }],
])("a look at %s reads satellites before what decides about them: no older policy comes back", async (_, of) => {
  let policy = "Delete";
  let live = satellite({ deletionPolicy: "Delete" });
  // Another instance gives the satellite the policy of a configuration that changes while this one looks.
  const change = () => {
    policy = "Evacuate";
    live = { ...satellite({ deletionPolicy: policy }), metadata: { ...live.metadata, resourceVersion: "8" } };
  };
  const served = (kind: Kind): readonly unknown[] => {
    if (kind === LinstorSatellite) return [live];
    if (kind === Node) return [node()];
    if (kind === LinstorCluster) return [cluster()];
    return [configuration("a", { deletionPolicy: policy }, { status: { appliedTo: ["node-1"], matched: 1 } })];
  };
  const read = (kind: Kind) => {
    const found = served(kind);
    if (kind === LinstorSatellite || kind === LinstorSatelliteConfiguration) change();
    return found;
  };
  const client = {
    get: async (kind: Kind) => read(kind)[0],
    async *list(kind: Kind) {
      yield* read(kind);
    },
  };
  const facts = await configure.look(of, { client: client as never, settings: {} });
  const { metadata, spec } = patchOf(configure.decide(facts, now, {})[0]) as { metadata: object; spec?: Spec };
  // A conflict with the other's write, or what that one has written, too.
  expect({ ...metadata, policy: spec?.deletionPolicy }).toMatchObject({ resourceVersion: "7", policy: "Evacuate" });
});
