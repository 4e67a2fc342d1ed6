import { conditionOf, type WantedCondition } from "../../../shared/kubernetes/condition.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { conditions, stuckReason } from "./names.ts";

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

/** Where the servers are; the message is what `yaookctl` counts with. */
export function evictedReport(
  status: "Evicting" | "Evicted" | "NotEvicting",
  plan?: { readonly counters: Counters },
  isStuck = false,
): WantedCondition {
  const reason = isStuck ? stuckReason : status;
  return { type: conditions.evicted, status, reason, message: plan ? JSON.stringify(plan.counters) : "" };
}

/** A number with its noun, which is in the plural unless it is 1. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Of so many servers it is said, and asked, why they do not leave. */
export const mostNamed = 20;

/** Each server that needs a person, and why, in a line of its own; nothing if none does, and none did before. */
export function stuckReport(
  stuck: readonly { readonly server: string; readonly message: string }[],
  object: KubernetesObject,
): readonly WantedCondition[] {
  const type = conditions.serversStuck;
  if (stuck.length === 0 && !conditionOf(object, type)) return [];
  if (stuck.length === 0) return [{ type, status: "False", reason: "None", message: "No server waits for a person." }];
  const lines = stuck.map(({ server, message }) => `${server}: ${message.replaceAll(/\s+/g, " ")}`.slice(0, 1000));
  const more = stuck.length > mostNamed ? [`Not shown here: ${counted(stuck.length - mostNamed, "server")}.`] : [];
  return [{ type, status: "True", reason: "NeedPerson", message: [...lines.slice(0, mostNamed), ...more].join("\n") }];
}
