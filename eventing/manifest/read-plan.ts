import type { KubernetesObject } from "../../shared/kubernetes/object.ts";
import type { Features } from "../features.ts";
import { eventingKinds } from "../kinds.ts";
import { type ApiServerSourcePlan, readApiServerSource } from "./api-server-source.ts";
import { type BrokerPlan, readBroker } from "./broker.ts";
import { type PingSourcePlan, readPingSource } from "./ping-source.ts";
import { readTrigger, type TriggerPlan } from "./trigger.ts";

interface Plans {
  Broker: BrokerPlan;
  Trigger: TriggerPlan;
  ApiServerSource: ApiServerSourcePlan;
  PingSource: PingSourcePlan;
}

/** A kind of Knative Eventing that the laptop edition obeys. */
export type EventingKind = keyof Plans;

/** What objects of a kind ask for. */
export type PlanOf<K extends EventingKind> = Plans[K];

const readers: { [K in EventingKind]: (object: KubernetesObject, features: Features) => Plans[K] } = {
  Broker: readBroker,
  Trigger: readTrigger,
  ApiServerSource: readApiServerSource,
  PingSource: readPingSource,
};

/** Whether an object is of one of these kinds, in the version that is obeyed. */
export function isEventing(object: KubernetesObject): boolean {
  return eventingKinds.some(({ apiVersion, kind }) => apiVersion === object.apiVersion && kind === object.kind);
}

/**
 * What was read of an object, which no code changes in place: a simulation declares the same ones thousands of times.
 */
const known = new WeakMap<KubernetesObject, { readonly features: Features; readonly plan: PlanOf<EventingKind> }>();

/** Reads an object of Knative Eventing; throws `Unobeyable`. */
export function readPlan<K extends EventingKind>(kind: K, object: KubernetesObject, features: Features): PlanOf<K> {
  const before = known.get(object);
  if (before?.features === features) return before.plan as PlanOf<K>;
  const plan = readers[kind](object, features);
  known.set(object, { features, plan });
  return plan;
}
