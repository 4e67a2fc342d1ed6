import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { ConfiguredSatellite } from "./configuration/configured-satellite.ts";
import { mergeConfigurations } from "./configuration/merge.ts";
import { resolveProperties } from "./configuration/resolve-properties.ts";
import { candidateOf } from "./matching/candidate.ts";
import { satelliteWanted } from "./matching/satellite-wanted.ts";
import { nodeDigest } from "./node-digest.ts";

type Spec = ConfiguredSatellite["spec"];
interface NodeFields {
  readonly labels?: object;
  readonly annotations?: object;
  readonly taints?: readonly object[];
  readonly status?: object;
  readonly resourceVersion?: string;
}
const node = ({
  labels = { zone: "a" },
  annotations = {},
  taints = [],
  status = {},
  resourceVersion = "1",
}: NodeFields) =>
  ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "node-1", uid: "n1", resourceVersion, labels, annotations },
    spec: { taints },
    status,
  }) as unknown as KubernetesObject;
const asking = (nodeFieldRef: string) => ({ name: "Aux/x", valueFrom: { nodeFieldRef } });
const spec = (more: object = {}) => ({ clusterRef: {}, ...more }) as Spec;
const kernel = (kernelVersion: string) => ({ status: { nodeInfo: { kernelVersion } } });
const machine = {
  "cluster.x-k8s.io/machine": "worker",
  "cluster.x-k8s.io/cluster-namespace": "capi",
};
const taint = (key: string, effect: string, value?: string) => ({
  taints: [{ key, effect, ...(value ? { value } : {}) }],
});

describe("the digest of a Node", () => {
  test.each<[string, NodeFields, Spec?]>([
    ["another label", { labels: { zone: "b" } }],
    ["one label more", { labels: { zone: "a", rack: "1" } }],
    ["no label", { labels: {} }],
    ["a taint NoExecute", taint("test", "NoExecute")],
    ["a Machine", { annotations: machine }],
    [
      "another field that the satellite's properties name",
      kernel("6.1"),
      spec({ properties: [asking("status.nodeInfo.kernelVersion")] }),
    ],
    [
      "another field that a pool's properties name",
      kernel("6.1"),
      spec({ storagePools: [{ name: "pool1", properties: [asking("status.nodeInfo.kernelVersion")] }] }),
    ],
    [
      "an annotation that properties name",
      { annotations: { rack: "1" } },
      spec({ properties: [asking("metadata.annotations['rack']")] }),
    ],
  ])("changes with %s", (_, more, asked = spec()) => {
    expect(nodeDigest(node(more), asked)).not.toBe(nodeDigest(node({}), asked));
  });

  test.each<[string, NodeFields]>([
    ["a kubelet's status write", { resourceVersion: "2", ...kernel("6.1") }],
    ["a cordon", taint("node.kubernetes.io/unschedulable", "NoSchedule")],
    ["NoSchedule, which costs no Node the satellite that it has", taint("test", "NoSchedule")],
    ["PreferNoSchedule", taint("test", "PreferNoSchedule")],
    ["a Node that is not reached", taint("node.kubernetes.io/unreachable", "NoExecute")],
    ["annotations of others", { annotations: { "volumes.kubernetes.io/x": "true" } }],
  ])("stays with %s", (_, more) => {
    const asked = spec({ properties: [asking("metadata.labels['zone']"), { name: "p", value: "v" }] });
    expect(nodeDigest(node(more), asked)).toBe(nodeDigest(node({}), asked));
  });

  test("stays when labels and taints come in another order", () => {
    const one = {
      labels: { a: "1", b: "2" },
      taints: [
        { key: "a", effect: "NoExecute" },
        { key: "b", effect: "NoExecute" },
      ],
    };
    const other = { labels: { b: "2", a: "1" }, taints: [...one.taints].reverse() };
    expect(nodeDigest(node(other), spec())).toBe(nodeDigest(node(one), spec()));
  });
});

test("two Nodes of one digest are the same to matching, to configurations and to properties", () => {
  const word = fc.constantFrom("a", "b", "node.kubernetes.io/unreachable");
  const labels = fc.dictionary(fc.constantFrom("zone", "rack"), word, { maxKeys: 2 });
  const taints = fc.array(fc.record({ key: word, value: word, effect: fc.constantFrom("NoExecute", "NoSchedule") }), {
    maxLength: 2,
  });
  const nodes = fc.record({ labels, taints, annotations: fc.dictionary(word, word, { maxKeys: 1 }) }).map(node);
  const toleration = fc.record({ key: word, operator: fc.constantFrom("Exists", "Equal"), value: word });
  const property = fc.constantFrom("metadata.labels['zone']", "metadata.annotations['a']", "metadata").map(asking);
  fc.assert(
    fc.property(
      nodes,
      nodes,
      labels,
      fc.array(toleration, { maxLength: 1 }),
      fc.array(property, { maxLength: 1 }),
      (one, other, nodeSelector, tolerations, properties) => {
        fc.pre(nodeDigest(one, spec({ properties })) === nodeDigest(other, spec({ properties })));
        const placement = { nodeSelector, tolerations };
        const isWanted = (seen: KubernetesObject) => satelliteWanted(candidateOf(seen), placement, "has one").wanted;
        expect(isWanted(other)).toBe(isWanted(one));
        const merged = (seen: KubernetesObject) =>
          mergeConfigurations([{ name: "x", spec: { nodeSelector, deletionPolicy: "Evacuate" } }], candidateOf(seen));
        expect(merged(other)).toEqual(merged(one));
        expect(resolveProperties(properties, other)).toEqual(resolveProperties(properties, one));
      },
    ),
  );
});
