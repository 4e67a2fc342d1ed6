import type { WantedCondition } from "../../../shared/kubernetes/condition.ts";
import { conditions } from "./names.ts";

/** Whether all is as it should be, and what it waits for otherwise. */
export const convergedReport = (reason: "Success" | "InProgress" | "Dependency", message: string): WantedCondition => ({
  ...{ type: conditions.converged, status: reason === "Success" ? "True" : "False", reason, message },
});

/** What `yaookctl` reads from the message of Evicted. */
export type Counters = Readonly<
  Record<"migrated" | "migratable" | "pending" | "in_progress" | "unhandleable", number> & {
    unhandleable_agent: boolean;
  }
>;

/** The reason of Evicted while only a person gets an eviction further. A column of `kubectl get` shows it. */
export const stuckReason = "Stuck";

/** Where the servers are; the message is what `yaookctl` counts with. */
export function evictedReport(
  status: "Evicting" | "Evicted" | "NotEvicting",
  plan?: { readonly counters: Counters },
  isStuck = false,
): WantedCondition {
  const reason = isStuck ? stuckReason : status;
  return { type: conditions.evicted, status, reason, message: plan ? JSON.stringify(plan.counters) : "" };
}
