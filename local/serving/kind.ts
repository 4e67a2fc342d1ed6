import type { Kind } from "../../shared/kubernetes/kind.ts";

/** A Knative Service: the long-lived name of a function, behind which revisions come and go. */
export const KnativeService = {
  apiVersion: "serving.knative.dev/v1",
  kind: "Service",
  plural: "services",
  namespaced: true,
} as const satisfies Kind;
