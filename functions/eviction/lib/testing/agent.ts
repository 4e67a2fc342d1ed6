import { NeutronL2Agent } from "../kinds.ts";
import type { L2Agent } from "../l2-agent.ts";
import { l2Finalizer } from "../names.ts";
import { aNode, aPod } from "./seen.ts";

/** A NeutronL2Agent as a rule has found it: held, with its pod, on a Node without label or locks. */
export function anAgent(seen: Partial<L2Agent> = {}): L2Agent {
  const { apiVersion, kind } = NeutronL2Agent;
  const metadata = { name: "node-a", namespace: "yaook", uid: "a1", resourceVersion: "9", finalizers: [l2Finalizer] };
  const object = { apiVersion, kind, metadata, spec: { template: { spec: { containers: [{ name: "agent" }] } } } };
  const pods = { pod: aPod(), inTheWay: undefined, conflict: undefined };
  return { object, node: aNode(undefined), ...pods, mustGo: false, isApproved: true, isResync: false, ...seen };
}
