import type { Kind } from "../shared/kubernetes/kind.ts";

export const Broker = {
  apiVersion: "eventing.knative.dev/v1",
  kind: "Broker",
  plural: "brokers",
  namespaced: true,
} as const satisfies Kind;
export const Trigger = {
  apiVersion: "eventing.knative.dev/v1",
  kind: "Trigger",
  plural: "triggers",
  namespaced: true,
} as const satisfies Kind;
export const ApiServerSource = {
  apiVersion: "sources.knative.dev/v1",
  kind: "ApiServerSource",
  plural: "apiserversources",
  namespaced: true,
} as const satisfies Kind;
export const PingSource = {
  apiVersion: "sources.knative.dev/v1",
  kind: "PingSource",
  plural: "pingsources",
  namespaced: true,
} as const satisfies Kind;

/** The kinds of Knative Eventing that are obeyed without Knative. */
export const eventingKinds = [Broker, Trigger, ApiServerSource, PingSource] as const;
