/** What differs between installations of Knative: flags of its ConfigMap `config-features`, and a fault of its releases. */
export interface Features {
  /** `delivery-retryafter`: `delivery.retryAfterMax` makes a broker honour `Retry-After` of 429 and 503. */
  readonly retryAfter: boolean;
  /** `new-apiserversource-filters`: an ApiServerSource may have `filters`. */
  readonly sourceFilters: boolean;
  /**
   * In Knative 1.22.2 a reply of more than 768 bytes that leads to the dead-letter sink makes the dispatcher of the in-memory
   * channels panic (its buffer for the base64 holds 1,024 characters), and what is in the memory of any broker is lost. When false, the
   * data is cut off as was meant.
   */
  readonly crashOnLongError: boolean;
}

/** As a fresh installation of Knative has them. */
export const defaultFeatures: Features = { retryAfter: false, sourceFilters: false, crashOnLongError: true };
