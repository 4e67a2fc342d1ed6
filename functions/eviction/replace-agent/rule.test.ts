import { expect, test } from "vitest";
import type { Kind } from "../../../shared/kubernetes/kind.ts";
import { poll } from "../../../shared/sweep.ts";
import { bases, NeutronL2Agent, NeutronOVNAgent } from "../lib/kinds.ts";
import { anAgent } from "../lib/testing/agent.ts";
import { aHint, aNode, aPod, now } from "../lib/testing/seen.ts";
import { replaceAgent } from "./rule.ts";

const settings = replaceAgent.settings.parse({});
const decide = (agent: Parameters<typeof anAgent>[0]) => replaceAgent.decide([anAgent(agent)], now, settings)[0];

test.each([
  ["has no label", aNode(undefined)],
  ["is labelled False", aNode("False")],
  ["carries a compute node's lock", aNode("True", "NovaComputeNode")],
  ["carries a lock that Holdfast does not know", aNode("True", "octavia")],
])("the pod of an agent that has to go is kept while the Node %s", (_, node) => {
  const decision = decide({ node, mustGo: true });
  expect(JSON.stringify(decision)).not.toContain('"delete"');
  expect(decision).toMatchObject({ step: { name: "waiting" }, next: now + 20_000 });
});

test("a lock that no kind is called after says who has set it, and when", () => {
  const node = aNode("True", "octavia");
  const key = "f:l2-lock.maintenance.yaook.cloud/octavia";
  const managedFields = [
    { manager: "kubelet", time: "2026-01-02T00:00:00Z", fieldsV1: { "f:metadata": { "f:labels": {} } } },
    {
      manager: "kubectl-annotate",
      time: "2026-01-01T00:00:00Z",
      fieldsV1: { "f:metadata": { "f:annotations": { [key]: {} } } },
    },
  ];
  const said = decide({ node: { ...node, metadata: { ...node.metadata, managedFields } }, mustGo: true })?.message;
  expect(said).toContain("octavia (set by kubectl-annotate, 2026-01-01T00:00:00Z or earlier)");
  expect(decide({ node, mustGo: true })?.message).toContain("octavia. The L2 agent goes");
});

test("the pod of an agent that has to go comes again where it has ended and a lock is on the Node", () => {
  const node = aNode("True", "NovaComputeNode");
  const ended = { ...aPod(), status: { phase: "Failed" } };
  expect(decide({ node, mustGo: true, pod: ended })).toMatchObject({ writes: [{ verb: "delete" }] });
  expect(decide({ node, mustGo: true, pod: undefined })).toMatchObject({ writes: [{ verb: "create" }] });
  expect(JSON.stringify(decide({ node: aNode("False"), mustGo: true, pod: undefined }))).not.toContain('"create"');
});

test("an agent beside the other sort is not touched, and goes when it is deleted and never had a pod", () => {
  const conflict = "Both.";
  // No event is about it when the other one is deleted.
  expect(decide({ conflict })).toMatchObject({ message: "Both.", step: { name: "waiting" }, next: now + 300_000 });
  expect(JSON.stringify(decide({ conflict }))).not.toMatch(/"verb":"(create|delete)"/);
  const { object } = anAgent();
  const deleted = { ...object, metadata: { ...object.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
  const agent = { object: deleted, conflict, mustGo: true, node: aNode("False", "NovaComputeNode") };
  expect(decide({ ...agent, pod: undefined })).toMatchObject({ writes: [{ type: "json" }] });
  expect(decide(agent)).toMatchObject({ step: { name: "waiting" } });
});

test("it goes when the label is True and no lock is there, which is read again with the write", () => {
  const decision = decide({ node: aNode("True"), mustGo: true });
  expect(decision).toMatchObject({ do: "write", writes: [{ verb: "delete", options: { uid: "p1" } }] });
  const [condition] = (decision?.do === "write" && decision.preconditions) || [];
  expect(condition?.holds(aNode("True"))).toBe(true);
  for (const live of [aNode("False"), aNode("True", "any")]) expect(condition?.holds(live)).toBe(false);
});

test("without its Node no pod is created or deleted, and an agent that is deleted goes when its pod is gone", () => {
  expect(decide({ node: undefined, pod: undefined })).toMatchObject({
    ...{ writes: [{ options: { subresource: "status" } }], step: { name: "waiting" }, next: now + 20_000 },
    message: expect.stringContaining("Node node-a does not exist."),
  });
  const { object } = anAgent();
  const deleted = { ...object, metadata: { ...object.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
  const agent = { object: deleted, node: undefined, mustGo: true, isApproved: false };
  expect(decide(agent)).toMatchObject({
    ...{ writes: [{ options: { subresource: "status" } }], next: now + 20_000 },
    message: expect.stringContaining("released when Kubernetes has deleted its pod."),
  });
  const decision = decide({ ...agent, pod: undefined });
  expect(decision).toMatchObject({ writes: [{ type: "json" }] });
  const [condition] = (decision?.do === "write" && decision.preconditions) || [];
  expect([undefined, aNode(undefined)].map((live) => condition?.holds(live))).toEqual([true, false]);
});

test("an agent without a pod gets one, and one that has ended goes", () => {
  expect(decide({ pod: undefined })).toMatchObject({ writes: [{ verb: "create" }] });
  expect(decide({ pod: { ...aPod(), status: { phase: "Failed" } } })).toMatchObject({ writes: [{ verb: "delete" }] });
  expect(decide({})).toMatchObject({ writes: [{ options: { subresource: "status" } }] });
});

test("a new agent has the one of the other sort looked at, because no event is about that one", () => {
  const hint = (change: "add" | "update") => ({ ...aHint(NeutronOVNAgent, anAgent().object), change });
  const about = (kind: Kind) => ({ kind, namespace: "yaook", name: "node-a" });
  expect(replaceAgent.subjects(hint("add"), settings)).toEqual([about(NeutronOVNAgent), about(NeutronL2Agent)]);
  expect(replaceAgent.subjects(hint("update"), settings)).toEqual([about(NeutronOVNAgent)]);
});

test("the sweep looks each hour for a pod that has ended by itself, because no event is sent for it", () => {
  for (const kind of bases) expect(replaceAgent.sweep).toContainEqual(poll(kind, "1h"));
});
