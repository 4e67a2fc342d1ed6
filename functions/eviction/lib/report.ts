import type { Standing } from "../../../shared/chain/chain.ts";
import type { Looked } from "../../../shared/chain/facts.ts";
import type { WantedCondition } from "../../../shared/kubernetes/condition.ts";
import { isBeingDeleted } from "../../../shared/kubernetes/finalizer.ts";
import type { AgentPlan } from "./agent-plan.ts";
import type { ComputeNode } from "./compute-node.ts";
import { type EvictionFacts, planOf, suspectedIn } from "./eviction-facts.ts";
import { conditions } from "./names.ts";
import type { ComputeService } from "./openstack/nova.ts";
import { isFenced, isProvenDown, type Suspected, verdictsOn } from "./outage.ts";
import type { Plan } from "./plan.ts";

/**
 * The conditions of a NovaComputeNode that leaves, as `yaookctl` reads them: it takes Enabled=False, Converged for the
 * reason InProgress or Dependency, and Evicted=Evicting for an eviction, and the message of Evicted for its counters.
 */
export function evictionReport(
  { step, message }: Standing,
  { object, facts, wanted }: Looked<ComputeNode, EvictionFacts>,
  now: number,
): readonly WantedCondition[] {
  const isWaiting = facts.is !== "ready" || facts.at === "unapproved";
  const isThere = step === "release-compute" && wanted !== "go" && !isBeingDeleted(object);
  const reason = isThere ? "Success" : isWaiting ? "Dependency" : "InProgress";
  const converged = convergedReport(reason, message);
  if (facts.is !== "ready" || facts.at !== "seen") return [converged];
  const isCleared = step === "release-compute" && wanted !== "disable";
  const status = isCleared ? "Evicted" : wanted === "disable" ? "NotEvicting" : "Evicting";
  const seen = [converged, enabledReport(facts.host.service), evictedReport(status, planOf(facts))];
  const host = suspectedIn(facts);
  const isShown = object.status?.conditions?.some(({ type }) => type === conditions.hostDown);
  return host ? [...seen, outageReport(host, now)] : isShown ? [...seen, reports(facts.host.service)] : seen;
}

/** Whether all is as it should be, and what it waits for otherwise. */
export const convergedReport = (reason: "Success" | "InProgress" | "Dependency", message: string): WantedCondition => ({
  ...{ type: conditions.converged, status: reason === "Success" ? "True" : "False", reason, message },
});

/** The verdict on each gate. */
function outageReport(host: Suspected, now: number): WantedCondition {
  const isProven = isProvenDown(host, now);
  const reason = isProven ? (isFenced(host) ? "Fenced" : "NotFenced") : "NotProven";
  const message = verdictsOn(host, now);
  return { type: conditions.hostDown, status: isProven ? "True" : "False", reason, message };
}

/** The host is up, or was never known to be down. */
export const reports = ({ host }: ComputeService): WantedCondition => ({
  ...{ type: conditions.hostDown, status: "False", reason: "Reports" },
  message: `nova-compute of ${host} reports to Nova.`,
});

/** Whether nova-compute gets new servers. */
export function enabledReport({ isEnabled, disabledReason, host }: ComputeService): WantedCondition {
  const type = conditions.enabled;
  if (isEnabled) return { type, status: "True", reason: "Enabled", message: `nova-compute of ${host} is enabled.` };
  const why = disabledReason ? `: ${disabledReason}` : ", without a reason";
  return { type, status: "False", reason: "Disabled", message: `nova-compute of ${host} is disabled${why}.` };
}

/** Where the servers are; the message is what `yaookctl` counts with. */
export function evictedReport(
  status: "Evicting" | "Evicted" | "NotEvicting",
  plan?: Pick<Plan, "counters"> | AgentPlan,
): WantedCondition {
  return { type: conditions.evicted, status, reason: status, message: plan ? JSON.stringify(plan.counters) : "" };
}
