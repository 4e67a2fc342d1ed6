import type { Subscription } from "../broker/subscription.ts";
import { policyFor } from "../delivery/policy.ts";
import type { Delivery } from "../manifest/delivery.ts";
import type { Destination } from "../manifest/destination.ts";
import type { TriggerPlan } from "../manifest/trigger.ts";
import type { Declarations } from "./declarations.ts";
import type { Address, Standing } from "./standing.ts";

/** Finds the URL of a destination that an object in `namespace` names. */
export type Find = (destination: Destination, namespace: string) => Address;

/** Where a Trigger stands. Its dead-letter sink, and nothing else of its delivery, falls back to the Broker's. */
export function triggerStanding(
  plan: TriggerPlan,
  declarations: Declarations,
  find: Find,
): Standing & { kind: "Trigger" } {
  const broker = declarations.get("Broker", `${plan.namespace}/${plan.broker}`);
  const missing = { reason: "BrokerDoesNotExist", message: `Broker ${JSON.stringify(plan.broker)} does not exist` };
  const unobeyable = broker?.problem === undefined ? undefined : { reason: "NotObeyed", message: broker.problem };
  return {
    kind: "Trigger",
    brokerProblem: broker ? unobeyable : missing,
    subscriber: find(plan.subscriber, plan.namespace),
    deadLetterSink: deadLetterSinkOf(plan, find) ?? (broker?.plan ? deadLetterSinkOf(broker.plan, find) : undefined),
  };
}

/** The address of the dead-letter sink that a Broker or Trigger names itself; `undefined` when it names none. */
export function deadLetterSinkOf(
  { namespace, delivery }: { readonly namespace: string; readonly delivery?: Delivery | undefined },
  find: Find,
): Address | undefined {
  return delivery?.deadLetterSink && find(delivery.deadLetterSink, namespace);
}

/** Whom a broker delivers to: its Triggers whose every reference has an address. */
export function subscriptionsOf(brokerKey: string, declarations: Declarations, find: Find): Subscription[] {
  const broker = declarations.get("Broker", brokerKey)?.plan;
  return declarations.plans("Trigger").flatMap(({ plan }) => {
    if (`${plan.namespace}/${plan.broker}` !== brokerKey) return [];
    const { subscriber, deadLetterSink } = triggerStanding(plan, declarations, find);
    if (!("url" in subscriber) || (deadLetterSink && !("url" in deadLetterSink))) return [];
    const { namespace, name, filter } = plan;
    const policy = policyFor(plan.delivery, broker?.delivery);
    const sink = deadLetterSink ? { deadLetterSink: deadLetterSink.url } : {};
    return [{ namespace, name, filter, subscriber: subscriber.url, policy, ...sink }];
  });
}
