/** Flags of Knative's ConfigMap `config-features` that are off by default and known here. */
export interface Features {
  /** `delivery-retryafter`: `delivery.retryAfterMax` makes a broker honour `Retry-After` of 429 and 503. */
  readonly retryAfter: boolean;
  /** `new-apiserversource-filters`: an ApiServerSource may have `filters`. */
  readonly sourceFilters: boolean;
}

/** As a fresh installation of Knative has them. */
export const defaultFeatures: Features = { retryAfter: false, sourceFilters: false };
