import { expect, test } from "vitest";
import { maintenanceLabel } from "../../functions/eviction/lib/node-lock.ts";
import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import { isLeaving } from "./actions.ts";

const compute = { kind: "NovaComputeNode", metadata: { name: "node-1" } } as KubernetesObject;
const node = (value: string) =>
  ({ metadata: { name: "node-1", labels: { [maintenanceLabel]: value } } }) as unknown as KubernetesObject;

test("what needs the L2 agent of its Node is to leave when that agent has to go", () => {
  expect(isLeaving(compute, undefined)).toBe(false);
  expect(isLeaving(compute, node("False"))).toBe(false);
  expect(isLeaving(compute, node("True"))).toBe(true);
});
