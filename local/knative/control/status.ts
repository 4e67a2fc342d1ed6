import type { Address, Standing } from "../../../eventing/control/standing.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import { type Condition, withConditions } from "../../controllers/objects/condition.ts";

/** As much of an object's status as is written here. */
export interface Status {
  observedGeneration?: number;
  conditions: readonly Condition[];
  [field: string]: unknown;
}

type Verdict = Pick<Condition, "status" | "reason" | "message">;

/**
 * The whole status that shows where an object stands; `now` is a timestamp. Of the conditions of Knative's own
 * controllers there is only `Ready`, which sums the others up: it has the reason of the first that is false.
 */
export function statusOf(object: KubernetesObject, standing: Standing, now: string): Status {
  const before = (object.status as Partial<Status> | undefined)?.conditions?.filter(({ type }) => type === "Ready");
  const { generation } = object.metadata;
  const ready = { type: "Ready", ...(problemOf(standing) ?? { status: "True" as const }) };
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...addressesOf(standing),
    conditions: withConditions(before, [ready], now),
  };
}

function problemOf(standing: Standing): Verdict | undefined {
  switch (standing.kind) {
    case "unobeyable":
      return fails("NotObeyed", standing.message);
    case "Broker":
      return unresolved(standing.deadLetterSink, noDeadLetterSink);
    case "Trigger": {
      const { brokerProblem, subscriber, deadLetterSink } = standing;
      if (brokerProblem) return fails(brokerProblem.reason, brokerProblem.message);
      return (
        unresolved(deadLetterSink, noDeadLetterSink) ?? unresolved(subscriber, "Unable to get the Subscriber's URI")
      );
    }
    case "ApiServerSource": {
      const { sink, missingPermissions, adapter } = standing;
      const missing = unresolved(sink, "NotFound") ?? (missingPermissions ? fails("", missingPermissions) : undefined);
      if (missing || adapter === "running") return missing;
      if (adapter !== "starting") return fails("MinimumReplicasUnavailable", adapter.problem);
      return { status: "Unknown", reason: "DeploymentUnavailable", message: "It is starting." };
    }
    case "PingSource":
      return unresolved(standing.sink, "NotFound");
  }
}

const noDeadLetterSink = "Unable to get the dead letter sink's URI";
const fails = (reason: string, message: string): Verdict => ({
  status: "False",
  ...(reason ? { reason } : {}),
  message,
});
const unresolved = (address: Address | undefined, reason: string) =>
  address && "problem" in address ? fails(reason, address.problem) : undefined;

function addressesOf(standing: Standing): Record<string, unknown> {
  const found = (field: string, address: Address | undefined) =>
    address && "url" in address ? { [field]: address.url } : {};
  switch (standing.kind) {
    case "Broker":
      return { address: { name: "http", url: standing.url }, ...found("deadLetterSinkUri", standing.deadLetterSink) };
    case "Trigger":
      return {
        ...found("subscriberUri", standing.subscriber),
        ...found("deadLetterSinkUri", standing.deadLetterSink),
      };
    case "ApiServerSource":
    case "PingSource":
      return found("sinkUri", standing.sink);
  }
  return {};
}
