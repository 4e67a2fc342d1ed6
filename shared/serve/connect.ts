import { ApiError } from "../kubernetes/api-error.ts";
import { type Client, createClient } from "../kubernetes/client.ts";
import { kubeconfigTransport } from "../kubernetes/kubeconfig-transport.ts";

/** What one event may ask of the API server at the same time, however many objects it is about. No function watches. */
const requestsAtOnce = 32;

/**
 * The function's own client: in a cluster by its service account, elsewhere by `KUBECONFIG`; or one by the kubeconfig
 * `file`. Kept in a chunk of its own.
 *
 * @throws ApiError with status 0 when there are no credentials to be found, so that the event is delivered again.
 */
export function connect(file?: string): Client {
  try {
    return createClient(kubeconfigTransport(file, undefined, requestsAtOnce));
  } catch (cause) {
    const what = file
      ? "Mount the kubeconfig that the settings name"
      : "Run the function in a cluster, or set KUBECONFIG";
    const message = `${(cause as Error).message} ${what}.`;
    throw new ApiError("Signing in to the cluster", { status: 0, reason: "NoCredentials", message }, cause);
  }
}
