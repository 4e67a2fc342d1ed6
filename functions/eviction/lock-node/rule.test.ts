import { expect, test } from "vitest";
import { Node } from "../../../shared/kubernetes/kind.ts";
import { dependents, NovaComputeNode } from "../lib/kinds.ts";
import { computeFinalizer, noticedKey, pauseKey, yaookParent } from "../lib/names.ts";
import { aCompute, aHint, aNode, aPod, now } from "../lib/testing/seen.ts";
import { lockNode } from "./rule.ts";

const settings = lockNode.settings.parse({});
const held = { finalizers: [computeFinalizer] };
const decide = (compute: Parameters<typeof aCompute>[0]) => lockNode.decide([aCompute(compute)], now, settings)[0];

test("the finalizer comes first, then the lock, and only then do other rules hear of the label", () => {
  const node = aNode("False");
  expect(decide({ node })).toMatchObject({ do: "write", writes: [{ kind: NovaComputeNode, type: "json" }] });
  expect(decide({ node, metadata: held })).toMatchObject({
    writes: [
      { kind: Node, patch: { metadata: { resourceVersion: "7", annotations: { [`${lock}NovaComputeNode`]: "" } } } },
    ],
  });
  expect(decide({ node: aNode("False", "NovaComputeNode"), metadata: held })).toMatchObject({
    writes: [{ kind: NovaComputeNode, patch: { metadata: { annotations: { [noticedKey]: "False" } } } }],
  });
});

const lock = "l2-lock.maintenance.yaook.cloud/";

test.each(["True", undefined])("where the label is %s, the lock is set for a pod, and stays without one", (label) => {
  expect(decide({ node: aNode(label), pods: [aPod()], metadata: held })).toMatchObject({
    writes: [{ patch: { metadata: { annotations: { [`${lock}NovaComputeNode`]: "" } } } }],
  });
  const locked = aNode(label, "NovaComputeNode");
  expect(JSON.stringify(decide({ node: locked, metadata: held }))).not.toContain("l2-lock");
});

test("a lock has the name that the spec says", () => {
  expect(decide({ node: aNode("False"), metadata: held, spec: { lockName: "nova" } })).toMatchObject({
    writes: [{ patch: { metadata: { annotations: { [`${lock}nova`]: "" } } } }],
  });
});

test.each([
  ["paused", { annotations: { [pauseKey]: "" } }],
  ["Yaook's", { labels: { [yaookParent]: "novadeployments" } }],
  ["being deleted", { ...held, deletionTimestamp: "2026-01-01T00:00:00Z" }],
])("a resource that is %s is left", (_, metadata) => {
  expect(decide({ node: aNode("False"), metadata })?.do).toBe("leave");
});

test("a resource that was handed over by Yaook is not left", () => {
  const metadata = { labels: { [yaookParent]: "novadeployments" }, annotations: { [pauseKey]: "holdfast" } };
  expect(decide({ node: aNode("False"), metadata })?.do).toBe("write");
});

test("Nodes without label and locks trigger nothing", () => {
  expect(lockNode.subjects(aHint(Node, aNode(undefined)), settings)).toEqual([]);
  expect(lockNode.subjects(aHint(Node, aNode("True")), settings)).toEqual(
    dependents.map((kind) => ({ kind, namespace: "yaook", name: "node-a" })),
  );
});
