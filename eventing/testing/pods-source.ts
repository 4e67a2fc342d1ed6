import type { KubernetesObject } from "../../shared/kubernetes/object.ts";

/** The ApiServerSource `shop/pods`, as a cluster has it. */
export function podsSource(spec: Record<string, unknown>, annotations: Record<string, string> = {}): KubernetesObject {
  return {
    apiVersion: "sources.knative.dev/v1",
    kind: "ApiServerSource",
    metadata: { name: "pods", namespace: "shop", uid: "u", resourceVersion: "1", annotations },
    spec: { resources: [{ apiVersion: "v1", kind: "Pod" }], ...spec },
  };
}
