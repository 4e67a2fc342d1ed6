import { conditionOf } from "../objects/condition.ts";
import type { NodeObject, NodeTaint } from "../objects/node.ts";

const prefix = "node.kubernetes.io/";
const managed = new Set(["unschedulable", "not-ready", "unreachable"]);

/**
 * The taints a node should have: those of others as they are, and those that follow from its conditions and from its
 * cordon. Returns the very list the node has when it is right already.
 */
export function taintsOf(node: NodeObject, now: string): readonly NodeTaint[] {
  const present = node.spec?.taints ?? [];
  const wanted = wantedTaints(node);
  const isSame = (a: NodeTaint, b: NodeTaint) => a.key === b.key && a.effect === b.effect;
  const kept = present.filter((taint) => !isManaged(taint) || wanted.some((other) => isSame(taint, other)));
  const missing = wanted.filter((taint) => !present.some((other) => isSame(taint, other)));
  if (kept.length === present.length && !missing.length) return present;
  return [...kept, ...missing.map((taint) => ({ ...taint, timeAdded: now }))];
}

function isManaged({ key }: NodeTaint): boolean {
  return key.startsWith(prefix) && managed.has(key.slice(prefix.length));
}

function wantedTaints({ spec, status }: NodeObject): NodeTaint[] {
  const ready = conditionOf(status?.conditions, "Ready")?.status;
  const noSchedule = [
    ...(spec?.unschedulable ? ["unschedulable"] : []),
    ...(ready === "False" ? ["not-ready"] : []),
    ...(ready === "Unknown" ? ["unreachable"] : []),
  ];
  const noExecute = noSchedule.filter((name) => name === "not-ready" || name === "unreachable");
  return [
    ...noSchedule.map((name): NodeTaint => ({ key: `${prefix}${name}`, effect: "NoSchedule" })),
    ...noExecute.map((name): NodeTaint => ({ key: `${prefix}${name}`, effect: "NoExecute" })),
  ];
}
