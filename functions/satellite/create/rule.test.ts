import { expect, test } from "vitest";
import { type Kind, Node } from "../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { LinstorCluster, LinstorSatellite } from "../lib/kinds.ts";
import { changedLabel } from "../lib/matching/candidate.ts";
import { nodeDigest, nodeDigestKey } from "../lib/node-digest.ts";
import { satelliteFinalizer } from "../lib/satellite.ts";
import { aSatellite, hintOf, now } from "../lib/testing/seen.ts";
import { createSatellite, type Facts } from "./rule.ts";

const node = (more: object = {}, spec: object = {}) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "node-1", uid: "n1", resourceVersion: "1", labels: { zone: "a" }, ...more },
  spec,
});
const cluster = (spec: object = {}, more: object = {}) => ({
  apiVersion: LinstorCluster.apiVersion,
  kind: LinstorCluster.kind,
  metadata: { name: "linstorcluster", uid: "c1", resourceVersion: "2", ...more },
  spec,
});
const without = (node: KubernetesObject): Facts["nodes"][number] => ({ node, satellite: undefined });
const decide = (facts: Partial<Facts> = {}) =>
  createSatellite.decide({ nodes: [without(node())], clusters: [cluster()], configurations: [], ...facts }, now, {})[0];

test("creates a satellite that is the cluster's, held, and of the merged configurations", () => {
  const configurations = [
    { name: "01-zone-a", spec: { nodeSelector: { zone: "a" }, deletionPolicy: "Evacuate" as const } },
    { name: "00-all", spec: { properties: [{ name: "Aux/x", value: "y" }] } },
  ];
  const decision = decide({ configurations });
  expect(decision?.do === "write" && decision.writes).toMatchObject([
    {
      verb: "create",
      kind: LinstorSatellite,
      object: {
        metadata: {
          name: "node-1",
          finalizers: [satelliteFinalizer],
          annotations: {
            "piraeus.io/applied-configurations": "00-all,01-zone-a",
            [nodeDigestKey]: nodeDigest(node(), undefined),
          },
          ownerReferences: [{ kind: "LinstorCluster", uid: "c1", controller: true, blockOwnerDeletion: false }],
        },
        spec: { clusterRef: { name: "linstorcluster" }, deletionPolicy: "Evacuate", properties: [{ name: "Aux/x" }] },
      },
    },
  ]);
});

const notIn = (...values: string[]) => ({
  nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "NotIn", values }] }],
});
const taints = (effect: string) => ({ nodes: [without(node({}, { taints: [{ key: "test", effect }] }))] });
test.each<[string, Partial<Facts>, "write" | "leave" | "record"]>([
  ["does not match the nodeSelector", { clusters: [cluster({ nodeSelector: { zone: "b" } })] }, "leave"],
  ["has NoSchedule", taints("NoSchedule"), "leave"],
  ["has NoExecute", taints("NoExecute"), "leave"],
  ["has PreferNoSchedule", taints("PreferNoSchedule"), "write"],
  [
    "is tolerated",
    { ...taints("NoSchedule"), clusters: [cluster({ tolerations: [{ operator: "Exists" }] })] },
    "write",
  ],
  ["is being deleted", { nodes: [without(node({ deletionTimestamp: "2026-01-01T00:00:00Z" }))] }, "leave"],
  ["has a cluster that goes", { clusters: [cluster({}, { deletionTimestamp: "2026-01-01T00:00:00Z" })] }, "leave"],
  ["has no cluster", { clusters: [] }, "leave"],
  ["has a cluster that shuns no value", { clusters: [cluster({ nodeAffinity: notIn() })] }, "record"],
  ["has a cluster that shuns a value no label has", { clusters: [cluster({ nodeAffinity: notIn("b c") })] }, "record"],
  ["has a cluster that shuns others", { clusters: [cluster({ nodeAffinity: notIn("b") })] }, "write"],
])("a Node that %s", (_, facts, expected) => expect(decide(facts)?.do).toBe(expected));

test("a LinstorCluster that is not valid gets no satellite, and a Warning, also while it has none", () => {
  const decisions = createSatellite.decide(
    { nodes: [without(node())], clusters: [cluster({ nodeAffinity: notIn("b c") })], configurations: [] },
    now,
    {},
  );
  const event = { type: "Warning", reason: "PlacementUnreadable" };
  expect(decisions).toMatchObject([{ do: "record", kind: LinstorCluster, event }, { do: "leave" }]);
});

test("looks at one Node for a Node's or a satellite's event, and at all for a cluster's", () => {
  const names = [
    hintOf(Node, "update", "node-1"),
    hintOf(LinstorSatellite, "delete", "node-2"),
    hintOf(LinstorCluster, "update", "c"),
  ];
  expect(names.flatMap((hint) => createSatellite.subjects(hint, {}).map(({ name }) => name))).toEqual([
    "node-1",
    "node-2",
    undefined,
  ]);
});

const alive = (metadata: object = {}) => aSatellite({ deleting: false, record: false, metadata });

test("hands a Node that has changed on by the digest alone, to the satellite as it was read", () => {
  const decision = decide({ nodes: [{ node: node(), satellite: alive() }] });
  expect(decision?.do === "write" && decision.writes).toEqual([
    {
      verb: "patch",
      kind: LinstorSatellite,
      namespace: undefined,
      name: "node-1",
      type: "merge",
      patch: {
        metadata: {
          uid: "u1",
          resourceVersion: "7",
          annotations: { [nodeDigestKey]: nodeDigest(node(), alive().spec) },
        },
      },
    },
  ]);
});

test("writes nothing to a satellite that piraeus-operator writes", () => {
  const managedFields = [{ manager: "piraeus.io/operator", time: "2026-01-01T00:00:00Z" }];
  expect(decide({ nodes: [{ node: node(), satellite: alive({ managedFields }) }] })?.do).toBe("leave");
});

test("of an unchanged Node reads its satellite, then the Node, and nothing else", async () => {
  const live = node();
  const satellite = alive({ annotations: { [nodeDigestKey]: nodeDigest(live, alive().spec) } });
  const read: string[] = [];
  const client = {
    get: async (kind: Kind) => {
      read.push(kind.kind);
      return kind === Node ? live : satellite;
    },
  };
  const facts = await createSatellite.look({ kind: Node, name: "node-1" }, { client: client as never, settings: {} });
  expect(facts.nodes).toEqual([]);
  expect(read).toEqual(["LinstorSatellite", "Node"]);
});

test("the label of a Node that has changed goes last, and nothing else is written for one that is as noted", () => {
  const marked = (more: object = {}) => node({ labels: { zone: "a", [changedLabel]: "true" }, ...more });
  const satellite = (digest: string) => ({
    ...aSatellite({ deleting: false, record: false }),
    metadata: { ...aSatellite().metadata, annotations: { [nodeDigestKey]: digest } },
  });
  const writesFor = (digest: string) => {
    const decision = decide({ nodes: [{ node: marked(), satellite: satellite(digest) }] });
    return decision?.do === "write" ? decision.writes : [];
  };
  const removal = {
    verb: "patch",
    kind: Node,
    patch: { metadata: { uid: "n1", resourceVersion: "1", labels: { [changedLabel]: null } } },
  };
  expect(nodeDigest(marked(), satellite("").spec)).toBe(nodeDigest(node(), satellite("").spec));
  expect(writesFor(nodeDigest(node(), satellite("").spec))).toMatchObject([removal]);
  expect(writesFor("another")).toMatchObject([{ kind: LinstorSatellite }, removal]);
  const unwanted = decide({ nodes: [without(marked())], clusters: [] });
  expect(unwanted?.do === "write" && unwanted.writes).toMatchObject([removal]);
});
