import { expect, test } from "vitest";
import { approvalKey } from "../lib/names.ts";
import { anAgent } from "../lib/testing/agent.ts";
import { aNode, aPod, now } from "../lib/testing/seen.ts";
import { labelNode } from "./rule.ts";

const settings = labelNode.settings.parse({});
const decide = (agent: Parameters<typeof anAgent>[0]) => labelNode.decide([anAgent(agent)], now, settings)[0];
const labelled = (value: string) => ({
  do: "write",
  writes: [
    {
      kind: { kind: "Node" },
      patch: { metadata: { labels: { "maintenance.yaook.cloud/maintenance-required-l2-agent": value } } },
    },
  ],
});

test("False comes only when the pod is Ready", () => {
  expect(decide({ pod: undefined })).toMatchObject({ do: "wait", next: now + 20_000 });
  expect(decide({ pod: aPod(false) })?.do).toBe("wait");
  expect(decide({ pod: aPod(true, { deletionTimestamp: "2026-01-01T00:00:00Z" }) })?.do).toBe("wait");
  expect(decide({ pod: aPod() })).toMatchObject(labelled("False"));
  expect(decide({ pod: aPod(), node: aNode("False") })?.do).toBe("leave");
});

test("no Node is labelled True before a person agrees, and the agreement goes with the label False", () => {
  expect(decide({ mustGo: true, isApproved: false, node: aNode("False") })?.do).toBe("leave");
  const { object } = anAgent();
  const agreed = { ...object, metadata: { ...object.metadata, annotations: { [approvalKey]: "true" } } };
  expect(decide({ object: agreed, node: aNode("True") })).toMatchObject({
    writes: [{ patch: { metadata: { annotations: { [approvalKey]: null } } } }, { kind: { kind: "Node" } }],
  });
  // One that a person has given long before there is anything to agree to goes with the resync.
  const early = { object: agreed, node: aNode("False") };
  expect(decide(early)?.do).toBe("leave");
  expect(decide({ ...early, isResync: true })).toMatchObject({
    writes: [{ patch: { metadata: { annotations: { [approvalKey]: null } } } }],
  });
  expect(decide({ ...early, isResync: true, mustGo: true })).toMatchObject(labelled("True"));
});

test("an agent that is being deleted leaves True behind, and takes nothing off", () => {
  const { object } = anAgent();
  const going = { ...object, metadata: { ...object.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
  for (const pod of [aPod(), undefined]) {
    expect(decide({ object: going, pod, mustGo: true, node: aNode("False") })).toMatchObject(labelled("True"));
    expect(decide({ object: going, pod, mustGo: true, node: aNode("True") })?.do).toBe("leave");
  }
});

test("an agent whose pod is to be replaced is looked at again until the new pod is Ready, without any event", () => {
  expect(decide({ mustGo: true, node: aNode("True") })).toMatchObject({ do: "wait", next: now + 20_000 });
  expect(decide({ pod: undefined, node: aNode("True") })).toMatchObject({ do: "wait", next: now + 20_000 });
});

test("an agent beside the other sort is looked at again: no event is about it when the other one is deleted", () => {
  const conflict = { message: "Both.", step: { name: "waiting" }, next: now + 300_000 };
  expect(decide({ conflict: "Both." })).toMatchObject({ do: "wait", ...conflict });
});
