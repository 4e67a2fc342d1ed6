import { ApiError } from "../kubernetes/api-error.ts";
import { type Client, createClient } from "../kubernetes/client.ts";
import { kubeconfigTransport } from "../kubernetes/kubeconfig-transport.ts";

/**
 * The function's own client: in a cluster by its service account, elsewhere by `KUBECONFIG`. Kept in a chunk of its own.
 *
 * @throws ApiError with status 0 when there are no credentials to be found, so that the event is delivered again.
 */
export function connect(): Client {
  try {
    return createClient(kubeconfigTransport());
  } catch (cause) {
    const message = `${(cause as Error).message} Run the function in a cluster, or set KUBECONFIG.`;
    throw new ApiError("Signing in to the cluster", { status: 0, reason: "NoCredentials", message }, cause);
  }
}
