import { expect, test } from "vitest";
import { approvalWanted } from "../../functions/eviction/lib/dependent.ts";
import { approvalWanted as baseApprovalWanted } from "../../functions/eviction/lib/l2-agent.ts";
import { anAgent } from "../../functions/eviction/lib/testing/agent.ts";
import { aCompute } from "../../functions/eviction/lib/testing/seen.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { abort, actionsFor, approve } from "./actions.ts";

const compute = aCompute({ spec: { state: "DisabledAndCleared" } });
const { object } = compute;
const { object: agent } = anAgent();
const saying = (one: KubernetesObject, message: string, annotations = {}): KubernetesObject => ({
  ...one,
  metadata: { ...one.metadata, annotations },
  status: { conditions: [{ type: "Converged", status: "False", reason: "Dependency", message }] },
});
const computeAsks = approvalWanted(compute, "its servers leave the host");
const agentAsks = baseApprovalWanted(agent);
const agreed = { "holdfast.dev/approve-eviction": "true" };

test.each([
  ["a compute node that leaves, and asks a person", saying(object, computeAsks), ["Approve"]],
  ["one that leaves without a person, with EVICTION_APPROVAL=none", saying(object, "Servers are being moved."), []],
  ["one that a person has agreed to", saying(object, "Servers are being moved.", agreed), ["Abort", "Try again"]],
  ["an L2 agent that has to go, and asks a person", saying(agent, agentAsks), ["Approve"]],
  ["an L2 agent whose pod is on the Node", saying(agent, "The pod of the L2 agent is on the Node."), []],
  ["an L2 agent that a person has agreed to", saying(agent, "The L2 agent goes.", agreed), ["Abort"]],
])("%s is offered what helps now", (_, seen, labels) => {
  expect(actionsFor(seen).map(({ label }) => label)).toEqual(labels);
});

test("the actions on an L2 agent say what happens then", () => {
  expect(approve(agent).does).toContain("the compute node and the agents that need it leave the Node.");
  expect(abort(agent).does).toContain("this changes nothing");
  expect(approve(object).does).toContain("moves");
});
