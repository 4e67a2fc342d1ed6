import { describe, expect, test } from "vitest";
import { matchesAffinity, type NodeSelector } from "./node-selector.ts";
import { meets } from "./requirement.ts";
import { type Candidate, type Placement, satelliteWanted } from "./satellite-wanted.ts";
import { tolerates } from "./toleration.ts";

describe("requirements, as kube-scheduler has them", () => {
  test.each<[string, string[] | undefined, string | undefined, boolean]>([
    ["In", ["a", "b"], "b", true],
    ["In", ["a"], undefined, false],
    ["NotIn", ["a"], "a", false],
    ["NotIn", ["a"], undefined, true],
    ["Exists", undefined, "", true],
    ["Exists", undefined, undefined, false],
    ["DoesNotExist", undefined, undefined, true],
    ["DoesNotExist", undefined, "", false],
    ["Gt", ["3"], "4", true],
    ["Gt", ["3"], "3", false],
    ["Gt", ["-4"], "-3", true],
    ["Lt", ["10"], "9", true],
    ["Lt", ["9"], "10", false],
    ["Lt", ["9007199254740993"], "9007199254740992", true],
    ["Gt", ["3"], "4.5", false],
    ["Gt", ["3"], "", false],
    ["Gt", ["3"], undefined, false],
    ["Gt", ["1", "2"], "3", false],
    ["Gt", [], "3", false],
    ["Near", ["a"], "a", false],
  ])("%s %j by %j: %j", (operator, values, value, expected) => {
    expect(meets({ key: "k", operator, values }, value)).toBe(expected);
  });

  test("terms are alternatives, requirements of a term are not; an empty term matches nothing", () => {
    const node = { name: "n1", labels: { a: "1" } };
    const has = (key: string) => ({ key, operator: "Exists" });
    const matches = (...nodeSelectorTerms: NodeSelector["nodeSelectorTerms"]) =>
      matchesAffinity({ nodeSelectorTerms }, node);
    expect(matches({ matchExpressions: [has("b")] }, { matchExpressions: [has("a")] })).toBe(true);
    expect(matches({ matchExpressions: [has("a"), has("b")] })).toBe(false);
    expect(matches({})).toBe(false);
    expect(matches()).toBe(false);
    expect(matches({ matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }] })).toBe(true);
    expect(matches({ matchFields: [{ key: "spec.x", operator: "NotIn", values: ["n1"] }] })).toBe(false);
    expect(matchesAffinity(undefined, node)).toBe(true);
  });
});

test.each([
  [{ key: "k", value: "v" }, true],
  [{ key: "k", value: "w" }, false],
  [{ key: "k" }, false],
  [{ key: "k", operator: "Exists" }, true],
  [{ key: "k", operator: "Exists", effect: "NoExecute" }, false],
  [{ operator: "Exists" }, true],
  [{ operator: "Equal", value: "v" }, false],
  [{ key: "k", operator: "Never", value: "v" }, false],
])("toleration %j of k=v:NoSchedule: %j", (toleration, expected) => {
  expect(tolerates(toleration, { key: "k", value: "v", effect: "NoSchedule" })).toBe(expected);
});

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
      because: "has the taint maintenance:NoExecute, which the LinstorCluster does not tolerate",
    });
  });
});
