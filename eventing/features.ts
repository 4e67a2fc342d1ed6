/** What differs between installations of Knative: flags of its ConfigMap `config-features`. */
export interface Features {
  /** `delivery-retryafter`: `delivery.retryAfterMax` makes a broker honour `Retry-After` of 429 and 503. */
  readonly retryAfter: boolean;
  /** `new-apiserversource-filters`: an ApiServerSource may have `filters`. */
  readonly sourceFilters: boolean;
}

/** As a fresh installation of Knative has them. */
export const defaultFeatures: Features = { retryAfter: false, sourceFilters: false };
