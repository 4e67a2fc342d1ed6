import { type Client, createClient } from "../kubernetes/client.ts";
import { kubeconfigTransport } from "../kubernetes/kubeconfig-transport.ts";

/** The function's own client: in a cluster by its service account, elsewhere by `KUBECONFIG`. Kept in a chunk of its own. */
export function connect(): Client {
  return createClient(kubeconfigTransport());
}
