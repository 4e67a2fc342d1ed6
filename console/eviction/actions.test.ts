import { expect, test } from "vitest";
import { maintenanceLabel } from "../../functions/eviction/lib/node-lock.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { abort, approve, isAsked, isLeaving } from "./actions.ts";

const compute = { kind: "NovaComputeNode", metadata: { name: "node-1" } } as KubernetesObject;
const node = (value: string) =>
  ({ metadata: { name: "node-1", labels: { [maintenanceLabel]: value } } }) as unknown as KubernetesObject;

test("what needs the L2 agent of its Node is to leave when that agent has to go", () => {
  expect(isLeaving(compute, undefined)).toBe(false);
  expect(isLeaving(compute, node("False"))).toBe(false);
  expect(isLeaving(compute, node("True"))).toBe(true);
});

test("an L2 agent asks for an agreement when it has to go, and the action says what happens then", () => {
  const agent = (message: string) =>
    ({
      apiVersion: "network.yaook.cloud/v1",
      kind: "NeutronL2Agent",
      metadata: { name: "node-1", namespace: "yaook", uid: "u" },
      status: { conditions: [{ type: "Converged", status: "False", reason: "Dependency", message }] },
    }) as unknown as KubernetesObject;
  expect(isAsked(agent("The pod of the L2 agent is on the Node."))).toBe(false);
  const asks = agent("The L2 agent has to go. Run kubectl annotate holdfast.dev/approve-eviction=true");
  expect(isAsked(asks)).toBe(true);
  expect(approve(asks).does).toContain("the compute node and the agents that need it leave the Node.");
  expect(abort(asks).does).toContain("this changes nothing");
  expect(approve({ ...asks, kind: "NovaComputeNode", apiVersion: "compute.yaook.cloud/v1" }).does).toContain("moves");
});
