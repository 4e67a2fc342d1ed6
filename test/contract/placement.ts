import { describe, expect, onTestFinished, test } from "vitest";
import { DaemonSet } from "../../functions/satellite/lib/kinds.ts";
import { placementProblem } from "../../functions/satellite/lib/matching/placement-problem.ts";
import { Node, Pod, pathOf } from "../../shared/kubernetes/kind.ts";
import { matchesNodeSelector, type NodeSelector } from "../../shared/kubernetes/node-selector.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Requirement } from "../../shared/kubernetes/requirement.ts";
import { findToleration, type Taint, type Toleration } from "../../shared/kubernetes/toleration.ts";
import { manifest } from "../harness/manifest.ts";
import type { Bench } from "../harness/server.ts";
import { failure } from "./failure.ts";

interface Placement {
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly nodeAffinity?: NodeSelector;
  readonly tolerations?: readonly Toleration[];
}

/** Nodes differ in the label `n` or in their taints: `key=value:effect`. */
const values = ["1", "4", "4.5", "x4", "", "007", "9007199254740993", "9223372036854775807", "9223372036854775808"];
const taints = ["d.example/k=v:NoSchedule", "k=v:NoExecute", "k=:NoSchedule", "k=v:NoSchedule l=10:NoExecute"];
const nodes = [
  { labels: {}, taints: "" },
  ...values.map((n) => ({ labels: { n }, taints: "" })),
  ...[...taints, "k=w:PreferNoSchedule"].map((taints) => ({ labels: { tainted: "" }, taints })),
].map(({ labels, taints }, index) => ({
  name: `contract-node-${index + 10}`,
  labels,
  taints: [...taints.matchAll(/(\S+)=(\S*):(\S+)/g)].map(
    ([, key, value, effect]): Taint => ({ key: key as string, value, effect: effect as string }),
  ),
}));

/** `n Gt 3`, with values after the operator. */
function requirement(text: string): Requirement {
  const [key = "", operator = "", ...values] = text.split(" ");
  return { key, operator, ...(values.length ? { values } : {}) };
}
const terms = (...nodeSelectorTerms: NodeSelector["nodeSelectorTerms"]): Placement => ({
  nodeAffinity: { nodeSelectorTerms },
});
const labelled = (...texts: string[]) => ({ matchExpressions: texts.map(requirement) });
const named = (...texts: string[]) => ({ matchFields: texts.map((text) => requirement(`metadata.name ${text}`)) });
const tolerating = (...tolerations: Toleration[]): Placement => ({ tolerations });
const Exists = "Exists";
const integers = ["4", "3.9", "007", "9007199254740992", "9223372036854775806", "9223372036854775808", "x", ""];

const accepted: readonly Placement[] = [
  ...["n In 1 4.5 ", "n NotIn 1 4.5 ", "n Exists", "n DoesNotExist"].map((text) => terms(labelled(text))),
  ...integers.flatMap((value) => [terms(labelled(`n Gt ${value}`)), terms(labelled(`n Lt ${value}`))]),
  terms({}),
  terms({}, labelled("n In 1")),
  terms(labelled("n Exists", "n NotIn 1"), named("In contract-node-10")),
  terms(labelled("n Gt x"), labelled("n In 4")),
  terms(named("NotIn contract-node-11")),
  terms(named("In contract-node-11", "NotIn contract-node-11")),
  terms({ ...labelled("n In 1 4"), ...named("NotIn contract-node-11") }),
  tolerating(),
  ...[undefined, "NoSchedule", "NoExecute", "PreferNoSchedule"].flatMap((effect) => [
    tolerating({ operator: Exists, effect }),
    tolerating({ key: "k", operator: Exists, effect }),
    tolerating({ key: "k", operator: "Equal", value: "v", effect }, { key: "l", value: "10" }),
  ]),
  tolerating({ key: "k" }),
  tolerating({ key: "k", operator: "Equal", value: "" }),
  tolerating({ key: "k", value: "V" }, { key: "l", value: "10.0" }),
  tolerating({ key: "d.example/k", value: "v" }),
  tolerating({ key: "k", operator: Exists, effect: "NoExecute", tolerationSeconds: 0 }),
];

const refused: readonly Placement[] = [
  terms(),
  ...["In", "NotIn", "Exists 1", "DoesNotExist 1", "Gt", "Lt 1 2", "Near 1", "in 1", ""].map((text) =>
    terms(labelled(`n ${text}`)),
  ),
  ...["Gt -1", "Lt +1", "NotIn a:b", `In ${"a".repeat(64)}`].map((text) => terms(labelled(`n ${text}`))),
  ...[" Exists", "-n NotIn 1", "a/b/n DoesNotExist"].map((text) => terms(labelled(text))),
  ...["In", "NotIn a b", "Exists", "Gt 1", "In A_b"].map((text) => terms(named(text))),
  terms({ matchFields: [requirement("spec.podCIDR In a")] }),
  { nodeSelector: { "n=": "1" } },
  { nodeSelector: { n: "1=" } },
  ...[
    {},
    { operator: "Equal", value: "v" },
    { key: "k", operator: Exists, value: "v" },
    { key: "k", operator: "Near" },
    // Kubernetes 1.36 knows it, and has it off.
    { key: "k", operator: "Gt", value: "1" },
    { key: "k", operator: Exists, effect: "Never" },
    { key: "k", operator: Exists, effect: "NoSchedule", tolerationSeconds: 5 },
    { key: "-k", operator: Exists },
    { key: "k", value: "a:b" },
  ].map((toleration) => tolerating(toleration)),
];

/**
 * Where pods go by node affinity and tolerations, held against the DaemonSet controller. The laptop edition has no such
 * controller, and its API server does not look at either.
 */
export function placement(open: () => Promise<Bench>): void {
  describe("a DaemonSet", () => {
    test("runs on the Nodes that rules would choose", async () => {
      const bench = await open();
      const { admin, namespace, eventually } = bench;
      onTestFinished(async () => {
        await admin.request("DELETE", pathOf(DaemonSet, namespace));
        for (const { name } of nodes) await admin.delete(Node, undefined, name);
      });
      for (const { name, labels, taints } of nodes) {
        const metadata = { name, labels: { ...labels, contract: namespace } };
        await admin.create(Node, manifest(Node, metadata, { spec: { taints } }));
      }
      const placed = async () => {
        const sets = await Array.fromAsync(admin.list<DaemonSetObject>(DaemonSet, { namespace }));
        const pods = await Array.fromAsync(admin.list<DaemonPod>(Pod, { namespace }));
        const found = sets.map(({ metadata: { name }, status }) => {
          const on = pods.flatMap((pod) => (pod.metadata.labels?.set === name ? [nodeOf(pod)] : [])).sort();
          return { name, on, settled: status.observedGeneration && on.length === status.desiredNumberScheduled };
        });
        if (found.every(({ settled }) => settled)) return new Map(found.map(({ name, on }) => [name, on]));
        return undefined;
      };
      await create(bench, "everywhere", tolerating({ operator: Exists }));
      const everywhere = async () => (await placed())?.get("everywhere")?.length === nodes.length;
      await eventually("the controller has seen every Node", everywhere);
      for (const [index, one] of accepted.entries()) await create(bench, `set-${index}`, one);
      const on = await eventually("the controller has placed every DaemonSet", placed);
      expect(accepted.map((one, index) => [one, on.get(`set-${index}`)])).toEqual(
        accepted.map((one) => [one, nodes.flatMap((node) => (isChosen(one, node) ? [node.name] : []))]),
      );
    });

    test("is refused where rules say that the placement is wrong", async () => {
      const bench = await open();
      const answers = refused.map(async (one) => [one, (await failure(create(bench, "a", one))).status]);
      expect(await Promise.all(answers)).toEqual(refused.map((one) => [one, 422]));
      expect(refused.filter((one) => placementProblem(one) === undefined)).toEqual([]);
    });
  });
}

function create({ admin, namespace }: Bench, name: string, placement: Placement): Promise<unknown> {
  const { nodeSelector, nodeAffinity, tolerations = [] } = placement;
  const required = { requiredDuringSchedulingIgnoredDuringExecution: nodeAffinity };
  // The node controller taints Nodes that no kubelet answers for.
  const always = ["not-ready", "unreachable"].map((key) => ({ key: `node.kubernetes.io/${key}`, operator: Exists }));
  const spec = {
    schedulerName: "by-hand",
    nodeSelector: { contract: namespace, ...nodeSelector },
    containers: [{ name: "main", image: "registry.example/main:1" }],
    tolerations: [...tolerations, ...always],
    ...(nodeAffinity ? { affinity: { nodeAffinity: required } } : {}),
  };
  const labels = { set: name };
  const set = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } };
  return admin.create(DaemonSet, manifest(DaemonSet, { namespace, name }, { spec: set }));
}

interface DaemonSetObject extends KubernetesObject {
  status: { observedGeneration?: number; desiredNumberScheduled: number };
}

interface DaemonPod extends KubernetesObject {
  spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: NodeSelector } } };
}

/** The controller makes a pod for one Node, and says for which. */
function nodeOf({ spec }: DaemonPod): string | undefined {
  const { nodeSelectorTerms } = spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution;
  return nodeSelectorTerms[0]?.matchFields?.[0]?.values?.[0];
}

function isChosen({ nodeAffinity, tolerations }: Placement, node: (typeof nodes)[number]): boolean {
  const taints = node.taints.filter(({ effect }) => effect !== "PreferNoSchedule");
  return matchesNodeSelector(nodeAffinity, node) && taints.every((taint) => findToleration(tolerations, taint));
}
