import { expect, test } from "vitest";
import type { PodObject } from "../lib/agent-pod.ts";
import { NeutronL3Agent } from "../lib/kinds.ts";
import { computeFinalizer } from "../lib/names.ts";
import { aCompute, aNode, aPod, now } from "../lib/testing/seen.ts";
import { keepPod } from "./rule.ts";

const settings = keepPod.settings.parse({});
const metadata = { finalizers: [computeFinalizer] };
const admitting = aNode("False", "NovaComputeNode");
const decide = (compute: Parameters<typeof aCompute>[0]) =>
  keepPod.decide(
    [{ resource: aCompute({ metadata, ...compute }), isLeft: false, forced: undefined }],
    now,
    settings,
  )[0];

test("a pod comes where the label is False and the lock set, which is read again with the write", () => {
  const decision = decide({ node: admitting });
  expect(decision).toMatchObject({
    writes: [
      // Shown first: once a pod may have come, a missing one does not say that there are no servers.
      { verb: "patch", patch: { status: { conditions: [{ type: "Enabled", status: "False" }] } } },
      { verb: "create", object: { metadata: { name: "novacomputenode-node-a" }, spec: { nodeName: "node-a" } } },
    ],
  });
  const [condition] = (decision?.do === "write" && decision.preconditions) || [];
  expect(condition?.holds(admitting)).toBe(true);
  for (const live of [aNode("True", "NovaComputeNode"), aNode("False"), undefined])
    expect(condition?.holds(live)).toBe(false);
});

test("the pod of a host with servers comes again while the lock is there, in the middle of an eviction, too", () => {
  const restore = (pods: readonly PodObject[]) => {
    const resource = aCompute({ metadata, wanted: "go", node: aNode("True", "NovaComputeNode"), pods });
    return keepPod.decide([{ resource, isLeft: true, forced: undefined }], now, settings)[0];
  };
  const decision = restore([]);
  expect(decision).toMatchObject({ writes: [{ verb: "create" }] });
  const [condition] = (decision?.do === "write" && decision.preconditions) || [];
  expect(condition?.holds(aNode("True", "NovaComputeNode"))).toBe(true);
  expect(condition?.holds(aNode("True"))).toBe(false);
  const ended = { ...aPod(), status: { phase: "Failed" } };
  expect(restore([ended])).toMatchObject({ writes: [{ verb: "delete", options: { uid: "p1" } }] });
});

test.each([
  ["the label is True", { node: aNode("True", "NovaComputeNode") }],
  ["the label is absent", { node: aNode(undefined, "NovaComputeNode") }],
  ["the lock is not set", { node: aNode("False") }],
  ["the resource is not held", { node: admitting, metadata: {} }],
  ["the Node does not exist", { node: undefined }],
  ["it is to leave", { node: admitting, wanted: "go" as const }],
])("no pod comes while %s", (_, compute) => expect(JSON.stringify(decide(compute))).not.toContain('"create"'));

test("a pod that runs is never taken away, and a changed template only shown", () => {
  for (const node of [admitting, aNode("True", "NovaComputeNode"), aNode(undefined), undefined]) {
    const decision = decide({ node, pods: [aPod()] });
    expect(JSON.stringify(decision)).not.toMatch(/"verb":"(delete|create)"/);
  }
  expect(JSON.stringify(decide({ node: admitting, pods: [aPod()] }))).toContain("TemplateChanged");
});

test("what a pod waits for is written while its host serves, and left to the steps of its eviction otherwise", () => {
  const node = aNode(undefined, "NovaComputeNode");
  expect(decide({ node, pods: [] })).toMatchObject({ writes: [{ patch: { status: { conditions: [{}] } } }] });
  for (const wanted of ["disable", "clear"] as const)
    expect(decide({ node, pods: [], wanted })).toMatchObject({ do: "write", writes: [] });
  const { object, ...seen } = aCompute({ node, wanted: "clear" });
  const agent = { ...seen, object: { ...object, apiVersion: NeutronL3Agent.apiVersion, kind: NeutronL3Agent.kind } };
  const shown = (resource: typeof agent) =>
    keepPod.decide([{ resource, isLeft: false, forced: undefined }], now, settings);
  expect(shown(agent)).toMatchObject([{ do: "write", writes: [] }]);
  expect(shown({ ...agent, wanted: "go", inTheWay: "In the way." })).toMatchObject([{ do: "write", writes: [] }]);
  expect(shown({ ...agent, wanted: "stay" })).toMatchObject([{ writes: [{ options: { subresource: "status" } }] }]);
});
