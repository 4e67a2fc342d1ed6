import { createHash } from "node:crypto";
import { isEvacuating, isOnline, sameName } from "../linstor/node.ts";
import { isLeaving } from "../linstor/resource.ts";
import { copiesOn, goodCopies } from "./copies.ts";
import type { DataFacts } from "./data-facts.ts";

/**
 * 16 hexadecimal digits for what decides whether LINSTOR can place copies of what stays on the node: the other nodes
 * that are online, whether it may place copies there, the good copies that there are elsewhere, and the place counts. A
 * call in the same circumstances has the same answer, but for the room in storage pools.
 */
export function circumstances(facts: DataFacts): string {
  const { node, nodes, placeCounts } = facts;
  const others = nodes.filter((one) => !sameName(one.name, node.name) && isOnline(one) && !isEvacuating(one));
  const staying = new Set(copiesOn(facts).flatMap((copy) => (isLeaving(copy) ? [] : [copy.name])));
  const copies = [...staying].sort().map((name) => {
    const elsewhere = goodCopies(name, facts).filter((copy) => !sameName(copy.node, node.name));
    return [name, placeCounts.get(name), elsewhere.map((copy) => copy.node).sort()];
  });
  const targets = others.map(({ name, props }) => `${name} ${props.AutoplaceTarget ?? ""}`).sort();
  const text = JSON.stringify([targets, copies]);
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
