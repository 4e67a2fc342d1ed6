import type { ComputeNode } from "./compute-node.ts";
import { evacuationFor } from "./evacuation.ts";
import { isForced, type OutageFacts, type Suspected } from "./outage.ts";
import { type HostFacts, type Plan, planFor } from "./plan.ts";
import type { Common } from "./settings.ts";

/**
 * What the steps of an eviction depend on.
 * - `unapproved`: a person has to agree first, and OpenStack is not asked
 * - `seen`: Nova has answered
 */
export type EvictionFacts =
  | { readonly is: "ready"; readonly at: "unapproved"; readonly compute: ComputeNode }
  | {
      readonly is: "ready";
      readonly at: "seen";
      readonly compute: ComputeNode;
      readonly host: HostFacts;
      readonly outage: OutageFacts | undefined;
      readonly settings: Common;
    }
  | { readonly is: "abandoned"; readonly at: "abandoned"; readonly message: string; readonly compute: ComputeNode };

/** What is to be done about what a look has found; before an eviction has begun, nothing was moved by it. */
export function planOf({ host, outage, compute, settings }: Seen): Plan {
  const { uid } = compute.object.metadata;
  const record = compute.record ?? { v: 1, uid, begun: "", baseline: Number.MAX_SAFE_INTEGER };
  return outage && isForced({ compute, host })
    ? evacuationFor(host, outage, record, settings)
    : planFor(host, record, settings);
}

/** The host of which it has to be found out whether it is down, or that is: `undefined` while nova-compute reports. */
export function suspectedIn(facts: EvictionFacts): Suspected | undefined {
  if (facts.at !== "seen" || !facts.outage || facts.compute.wanted === "disable") return undefined;
  return { ...facts, outage: facts.outage };
}

type Seen = Extract<EvictionFacts, { at: "seen" }>;
