/**
 * An extension of the schedule's events where there is no Knative: since when no change has gone by its sources unseen
 * (RFC 3339). With Knative the conditions of sources and brokers say so.
 */
export const unbrokenSince = "unbrokensince";
