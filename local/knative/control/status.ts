import type { Address, SourceStanding, Standing } from "../../../eventing/control/standing.ts";
import type { KubernetesObject } from "../../../shared/kubernetes/object.ts";
import type { Condition } from "../../controllers/objects/condition.ts";
import { conditionsFrom, fails, holds, summedUp, type Verdict } from "./conditions.ts";

/** The status of an object as Knative's own controllers fill it. */
export interface Status {
  observedGeneration?: number;
  conditions: Condition[];
  [field: string]: unknown;
}

/**
 * The whole status that shows where an object stands; `now` is a timestamp, `server` the URL of the API server. Only
 * Knative's traces of channels and subscriptions, of which there are none here, are left out.
 */
export function statusOf(object: KubernetesObject, standing: Standing, server: string, now: string): Status {
  const before = (object.status as Partial<Status> | undefined)?.conditions;
  const { generation } = object.metadata;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  if (standing.kind === "unobeyable") {
    const conditions = conditionsFrom(before, { Ready: fails("NotObeyed", standing.message) }, now);
    return { ...observed, conditions };
  }
  const { verdicts, fields } = shown(standing, server);
  return { ...observed, ...fields, conditions: summedUp(before, verdicts, now) };
}

type Shown = { verdicts: Record<string, Verdict>; fields: Record<string, unknown> };

function shown(standing: Exclude<Standing, { kind: "unobeyable" }>, server: string): Shown {
  switch (standing.kind) {
    case "Broker":
      return broker(standing);
    case "Trigger":
      return trigger(standing);
    case "ApiServerSource":
      return apiServerSource(standing, server);
    case "PingSource":
      return pingSource(standing);
  }
}

const withoutOidc: Verdict = { status: "True", reason: "authentication-oidc feature disabled" };

function broker({ url, deadLetterSink }: Standing & { kind: "Broker" }): Shown {
  return {
    verdicts: {
      Addressable: holds,
      DeadLetterSinkResolved: deadLetterVerdict(deadLetterSink),
      EventPoliciesReady: {
        status: "True",
        reason: "OIDCDisabled",
        message: 'Feature "authentication-oidc" must be enabled to support Authorization',
      },
      FilterReady: holds,
      IngressReady: holds,
      TriggerChannelReady: holds,
    },
    fields: { address: { name: "http", url }, ...deadLetterField(deadLetterSink) },
  };
}

function trigger({ brokerProblem, subscriber, deadLetterSink }: Standing & { kind: "Trigger" }): Shown {
  const resolved = addressVerdict(subscriber, "Unable to get the Subscriber's URI");
  return {
    verdicts: {
      BrokerReady: brokerProblem ? fails(brokerProblem.reason, brokerProblem.message) : holds,
      DeadLetterSinkResolved: deadLetterVerdict(deadLetterSink),
      DependencyReady: holds,
      OIDCIdentityCreated: withoutOidc,
      SubscriberResolved: resolved,
      SubscriptionReady: resolved.status === "True" && !brokerProblem ? holds : { status: "Unknown" },
    },
    fields: {
      ...("url" in subscriber ? { subscriberUri: subscriber.url } : {}),
      ...deadLetterField(deadLetterSink),
    },
  };
}

function apiServerSource(standing: Standing & { kind: "ApiServerSource" }, server: string): Shown {
  const { sink, mode, namespaces, missingPermissions, adapter } = standing;
  const family = mode === "Resource" ? "resource" : "ref";
  const types = ["add", "delete", "update"].map((verb) => `dev.knative.apiserver.${family}.${verb}`);
  return {
    verdicts: {
      SinkProvided: addressVerdict(sink, "NotFound"),
      SufficientPermissions: missingPermissions ? fails("", missingPermissions) : holds,
      Deployed: adapterVerdict(adapter),
      OIDCIdentityCreated: withoutOidc,
    },
    fields: {
      ...("url" in sink ? { sinkUri: sink.url } : {}),
      ...(namespaces ? { namespaces: [...namespaces] } : {}),
      ceAttributes: types.map((type) => ({ type, source: server })),
    },
  };
}

function pingSource({ sink, namespace, name }: Standing & { kind: "PingSource" }): Shown {
  const source = `/apis/v1/namespaces/${namespace}/pingsources/${name}`;
  return {
    verdicts: {
      SinkProvided: addressVerdict(sink, "NotFound"),
      Deployed: "url" in sink ? holds : { status: "Unknown" },
      OIDCIdentityCreated: withoutOidc,
    },
    fields: {
      ...("url" in sink ? { sinkUri: sink.url } : {}),
      ceAttributes: [{ type: "dev.knative.sources.ping", source }],
    },
  };
}

function adapterVerdict(adapter: SourceStanding["adapter"]): Verdict {
  if (adapter === "running") return holds;
  if (adapter === "starting") return { status: "Unknown", reason: "DeploymentUnavailable", message: "It is starting." };
  return fails("MinimumReplicasUnavailable", adapter.problem);
}

const addressVerdict = (address: Address, reason: string): Verdict =>
  "url" in address ? holds : fails(reason, address.problem);

const deadLetterField = (address: Address | undefined) =>
  address && "url" in address ? { deadLetterSinkUri: address.url } : {};

function deadLetterVerdict(address: Address | undefined): Verdict {
  if (address) return addressVerdict(address, "Unable to get the dead letter sink's URI");
  return { status: "True", reason: "DeadLetterSinkNotConfigured", message: "No dead letter sink is configured." };
}
