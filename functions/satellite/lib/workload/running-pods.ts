import type { Client } from "../../../../shared/kubernetes/client.ts";
import { isBeingDeleted } from "../../../../shared/kubernetes/finalizer.ts";
import { Pod } from "../../../../shared/kubernetes/kind.ts";
import type { KubernetesObject } from "../../../../shared/kubernetes/object.ts";
import { satelliteLabel } from "../kinds.ts";

export type PodObject = KubernetesObject & {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly podIPs?: readonly { readonly ip: string }[];
  };
};

/**
 * The addresses of a satellite's pod on its Node, the first one first; none while it has no pod that runs. One that is
 * being deleted answers no longer.
 *
 * @throws ApiError
 */
export async function lookAtAddresses(
  client: Client,
  namespace: string,
  { metadata: { name, uid } }: KubernetesObject,
): Promise<readonly string[]> {
  const labelSelector = `${satelliteLabel}=${uid}`;
  const pods = await Array.fromAsync(client.list<PodObject>(Pod, { namespace, labelSelector }));
  const running = pods.find(
    (pod) => !isBeingDeleted(pod) && pod.spec?.nodeName === name && pod.status?.phase === "Running",
  );
  const { podIP, podIPs = [] } = running?.status ?? {};
  return podIPs.length > 0 ? podIPs.map(({ ip }) => ip) : podIP ? [podIP] : [];
}
