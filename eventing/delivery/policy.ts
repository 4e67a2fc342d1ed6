/** How an event is delivered to one subscriber, as a Trigger's or Broker's `delivery` says; times in milliseconds. */
export interface DeliveryPolicy {
  /** Tries after the first. */
  readonly retry: number;
  /** How long to wait before a retry, counted from 0. */
  readonly wait: (retry: number) => number;
  /** For each single request; the subscriber may still be at work when the next one is sent. */
  readonly timeout?: number;
  /** Upper bound of a `Retry-After` that is honoured; absent when none is. */
  readonly retryAfterMax?: number;
  readonly format?: "json" | "binary";
}

/** The fields of a `delivery` block that decide about retries, parsed. */
export interface DeliverySpec {
  readonly retry?: number | undefined;
  readonly backoffPolicy?: "exponential" | "linear" | undefined;
  readonly backoffDelay?: number | undefined;
  readonly timeout?: number | undefined;
  readonly retryAfterMax?: number | undefined;
  readonly format?: "json" | "binary" | undefined;
}

/**
 * What a Broker without a `delivery` gets from Knative's own defaults (ConfigMap `config-br-defaults`): 205 s in all.
 */
const defaultDelivery: DeliverySpec = { retry: 10, backoffPolicy: "exponential", backoffDelay: 200 };

/**
 * The policy for one Trigger. The blocks are not merged: a Trigger's own decides alone, so that one without `retry` has
 * no retries. Without policy or delay there is no wait at all; linear backoff retries at once the first time;
 * exponential has no cap.
 */
export function policyFor(trigger: DeliverySpec | undefined, broker: DeliverySpec | undefined): DeliveryPolicy {
  const { retry = 0, backoffPolicy, backoffDelay, timeout, retryAfterMax } = trigger ?? broker ?? defaultDelivery;
  const delay = backoffPolicy === undefined ? undefined : backoffDelay;
  return {
    retry,
    wait: (count) => (delay === undefined ? 0 : delay * (backoffPolicy === "linear" ? count : 2 ** count)),
    ...(timeout === undefined ? {} : { timeout }),
    ...(retryAfterMax === undefined ? {} : { retryAfterMax }),
    ...(trigger?.format ? { format: trigger.format } : {}),
  };
}
