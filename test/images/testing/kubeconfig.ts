/** The text of a kubeconfig for a server without TLS that lets everybody in. */
export function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "a", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "a", user: { token: "a" } }],
    contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
    "current-context": "a",
  });
}
