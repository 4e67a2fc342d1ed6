import { describe, expect, test } from "vitest";
import { type Candidate, type Placement, satelliteWanted } from "./satellite-wanted.ts";

describe("which Nodes have a satellite, line by line of the document", () => {
  const node = (more: Partial<Candidate> = {}): Candidate => ({ name: "n1", labels: {}, taints: [], ...more });
  const taint = (effect: string, key = "maintenance") => node({ taints: [{ key, effect }] });
  const wanted = (candidate: Candidate, placement: Placement = {}) => [
    satelliteWanted(candidate, placement, "has none").wanted,
    satelliteWanted(candidate, placement, "has one").wanted,
  ];
  const zoneB = { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "NotIn", values: ["a"] }] }] };

  test.each<[string, Candidate, Placement, created: boolean, kept: boolean]>([
    ["no wishes", node(), {}, true, true],
    ["a matching nodeSelector", node({ labels: { zone: "a" } }), { nodeSelector: { zone: "a" } }, true, true],
    ["another nodeSelector", node({ labels: { zone: "b" } }), { nodeSelector: { zone: "a" } }, false, false],
    ["a matching nodeAffinity", node({ labels: { zone: "b" } }), { nodeAffinity: zoneB }, true, true],
    ["another nodeAffinity", node({ labels: { zone: "a" } }), { nodeAffinity: zoneB }, false, false],
    ["a taint with NoExecute", taint("NoExecute"), {}, false, false],
    ["a taint with NoSchedule", taint("NoSchedule"), {}, false, true],
    ["a taint with PreferNoSchedule", taint("PreferNoSchedule"), {}, true, true],
    ["a cordon", taint("NoSchedule", "node.kubernetes.io/unschedulable"), {}, true, true],
    ["an unreachable Node", taint("NoExecute", "node.kubernetes.io/unreachable"), {}, true, true],
    ["DRBD without quorum", taint("NoSchedule", "drbd.linbit.com/lost-quorum"), {}, true, true],
    ["a toleration", taint("NoExecute"), { tolerations: [{ key: "maintenance", operator: "Exists" }] }, true, true],
  ])("%s", (_what, candidate, placement, created, kept) => {
    expect(wanted(candidate, placement)).toEqual([created, kept]);
  });

  test("it says why not", () => {
    expect(satelliteWanted(taint("NoExecute"), {}, "has one")).toEqual({
      wanted: false,
      message: "has the taint maintenance:NoExecute, which the LinstorCluster does not tolerate",
    });
  });
});
