import type { DeliveryPolicy } from "../delivery/policy.ts";
import type { Filter } from "../filter/filter.ts";

/** A Trigger that is ready: its references are resolved, its filter is compiled. */
export interface Subscription {
  readonly namespace: string;
  readonly name: string;
  readonly filter: Filter;
  /** URL of the subscriber. */
  readonly subscriber: string;
  readonly policy: DeliveryPolicy;
  /** URL of the dead-letter sink, if there is one. */
  readonly deadLetterSink?: string;
}
