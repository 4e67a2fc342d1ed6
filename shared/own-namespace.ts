import { readFileSync } from "node:fs";

const elsewhere = "holdfast";

/**
 * The namespace that the function runs in, as the kubelet writes it beside the service account's token; outside of a
 * cluster the one that the manifests name.
 */
export function ownNamespace(file = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"): string {
  // Where a kubeconfig is used, the pod that this may run in is not where the function belongs.
  if (process.env.KUBECONFIG) return elsewhere;
  try {
    return readFileSync(file, "utf8").trim() || elsewhere;
  } catch {
    return elsewhere;
  }
}
