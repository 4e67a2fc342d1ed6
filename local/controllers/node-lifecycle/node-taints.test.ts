import { describe, expect, it } from "vitest";
import type { NodeObject } from "../objects/node.ts";
import { taintsOf } from "./node-taints.ts";

const node = (spec: object, conditions: object[]) =>
  ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "one" },
    spec,
    status: { conditions },
  }) as unknown as NodeObject;
const ready = (status: string) => ({ type: "Ready", status });
const names = (of: NodeObject) => taintsOf(of, "now").map(({ key, effect }) => `${key}:${effect}`);

describe("taintsOf", () => {
  it.each([
    { what: "a healthy node", spec: {}, conditions: [ready("True")], taints: [] },
    { what: "a node that never reported", spec: {}, conditions: [], taints: [] },
    {
      what: "a cordoned node",
      spec: { unschedulable: true },
      conditions: [ready("True")],
      taints: ["node.kubernetes.io/unschedulable:NoSchedule"],
    },
    {
      what: "a node that is not ready",
      spec: {},
      conditions: [ready("False")],
      taints: ["node.kubernetes.io/not-ready:NoSchedule", "node.kubernetes.io/not-ready:NoExecute"],
    },
    {
      what: "a node that is lost",
      spec: {},
      conditions: [ready("Unknown")],
      taints: ["node.kubernetes.io/unreachable:NoSchedule", "node.kubernetes.io/unreachable:NoExecute"],
    },
    {
      what: "a node that has recovered",
      spec: { taints: [{ key: "node.kubernetes.io/unreachable", effect: "NoExecute" }] },
      conditions: [ready("True")],
      taints: [],
    },
  ])("$what", ({ spec, conditions, taints }) => {
    expect(names(node(spec, conditions))).toEqual(taints);
  });

  it("keeps the taints of others, and the time at which one was set", () => {
    const theirs = { key: "node.kubernetes.io/out-of-service", effect: "NoExecute" };
    const ours = { key: "node.kubernetes.io/not-ready", effect: "NoExecute", timeAdded: "then" };
    const before = node({ taints: [theirs, ours] }, [ready("False")]);
    const after = taintsOf(before, "now");
    expect(after).toEqual([theirs, ours, { key: ours.key, effect: "NoSchedule", timeAdded: "now" }]);
    const settled = node({ taints: after }, [ready("False")]);
    expect(taintsOf(settled, "later")).toBe(settled.spec?.taints);
  });
});
